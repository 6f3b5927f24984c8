import { errorFromValue } from '../../http-error.ts'
import { isRecord } from '../../is-record.ts'
import { ProviderError, type ProviderErrorKind } from '../../provider-error.ts'

/** How much of what cannot be read a message quotes. */
const MAX_QUOTED = 200

/**
 * The error that a chunk is, or holds, in whatever shape: `error` as an object or a text, an `event: error`,
 * an error object of its own (`object` or `type` is `error`), or a body that has the fields of an error and none
 * of an answer. Undefined where it is none.
 */
export function readStreamError(chunk: Record<string, unknown>, event?: string): ProviderError | undefined {
  const { error } = chunk
  const holdsError = error !== undefined && error !== null && error !== false && error !== ''
  if (holdsError || event === 'error' || chunk.object === 'error' || chunk.type === 'error') {
    return new ProviderError(errorFromValue(chunk))
  }
  // Why Groq broke off a stream, beside its choices.
  if (isRecord(chunk.x_groq) && typeof chunk.x_groq.error === 'string') {
    return new ProviderError(errorFromValue({ message: chunk.x_groq.error }))
  }
  const { base_resp: result } = chunk
  if (isRecord(result) && typeof result.status_code === 'number' && result.status_code !== 0) {
    return new ProviderError(errorFromValue({ message: result.status_msg, code: String(result.status_code) }))
  }
  const isAnswer = chunk.choices !== undefined || chunk.usage !== undefined
  if (isAnswer || String(chunk.object ?? '').startsWith('chat.completion')) return undefined
  const says = [chunk.message, chunk.detail, chunk.errors, chunk.msg, chunk.title]
  return says.some(value => (typeof value === 'string' && value !== '') || Array.isArray(value))
    ? new ProviderError(errorFromValue(chunk))
    : undefined
}

/** The service ended the answer with a `finish_reason` that means failure. */
export function errorFromFinish(kind: ProviderErrorKind, reason: unknown, choice: unknown): ProviderError {
  const cause = isRecord(choice) && choice.error ? errorFromValue(choice.error) : undefined
  if (cause) return new ProviderError({ ...cause, kind: cause.kind === 'other' ? kind : cause.kind })
  return new ProviderError({
    kind,
    message: `The service broke off its answer: finish_reason is "${String(reason)}"`,
    code: String(reason),
  })
}

/** What came is no chunk. */
export function unreadable(data: string, event: string | undefined, cause?: unknown): ProviderError {
  const text = data.trim()
  // Of a web page its title is enough.
  if (event === 'error' || text.startsWith('<')) return new ProviderError(errorFromValue(text))
  const quoted = text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED).toWellFormed()}...` : text
  return new ProviderError(
    { kind: 'other', message: `Cannot read the answer: expected a JSON object, got: ${quoted}` },
    { cause },
  )
}
