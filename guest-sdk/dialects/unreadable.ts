import { errorFromValue } from '../http-error.ts'
import { ProviderError } from '../provider-error.ts'

/** How much of what cannot be read a message quotes. */
const MAX_QUOTED = 200

/** The error of a frame that is no JSON object. Of a web page its title is enough. */
export function unreadable(data: string): ProviderError {
  const text = data.trim()
  if (text.startsWith('<')) return new ProviderError(errorFromValue(text))
  const quoted = text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED).toWellFormed()}...` : text
  return new ProviderError({
    kind: 'other',
    message: `Cannot read the answer: expected a JSON object, got: ${quoted}`,
  })
}
