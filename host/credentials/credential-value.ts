import { CredentialError } from './credential-error.ts'

/** Longest credential, characters. A header line of a request holds no more than this with most services. */
export const MAX_CREDENTIAL_CHARS = 16_384

/**
 * A key as it came from a prompt, a pipe, a file or the environment, without the blanks around it. `from` says
 * where it came from, for the message: `the variable ACME_API_KEY`.
 * @throws {CredentialError} `invalid-credential` where it is empty, holds a line break, a control character or one
 * that is not ASCII, or is too long. The message names the place, never the text.
 */
export function parseCredentialValue(text: string, from: string): string {
  const value = text.trim()
  const refuse = (why: string) =>
    new CredentialError('invalid-credential', `Cannot use the key from ${from}: ${why}`)
  if (value === '') throw refuse('it is empty')
  if (value.length > MAX_CREDENTIAL_CHARS)
    throw refuse(`a key has at most ${MAX_CREDENTIAL_CHARS} characters: this has ${value.length}`)
  const at = value.search(/[^\x20-\x7e]/)
  if (at === -1) return value
  const place = `at character ${at + 1} of ${value.length}`
  if (/[\r\n]/.test(value.charAt(at)))
    throw refuse(`it has a line break ${place}: give it as one line, and nothing else with it`)
  if (/[\x00-\x1f\x7f]/.test(value.charAt(at)))
    throw refuse(`it has a control character ${place}: copy it again`)
  throw refuse(
    `it has a character that is not ASCII ${place}, as word processors and web pages add: copy it again`,
  )
}
