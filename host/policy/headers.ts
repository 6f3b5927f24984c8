import { TransportError } from '../errors.ts'

export type HeaderList = readonly (readonly [name: string, value: string])[]

/** Header lines of one request: services need ten, SDKs send thirty. */
export const MAX_HEADERS = 100
export const MAX_HEADER_NAME_CHARS = 256
/** A long access token (Azure's reach 4 KiB) fits; most servers refuse more. */
export const MAX_HEADER_VALUE_CHARS = 16_384
/** All names and values together. */
export const MAX_HEADERS_CHARS = 65_536

// The host frames messages, keeps connections and names the target; a guest that could do so would smuggle a
// second request or reach another virtual host. Cookies are a second, invisible credential.
const FORBIDDEN = new Set([
  'host',
  'connection',
  'keep-alive',
  'content-length',
  'transfer-encoding',
  'te',
  'trailer',
  'upgrade',
  'expect',
  'cookie',
  'cookie2',
  'http2-settings',
])

/** RFC 9110, 5.6.2. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
/** RFC 9110, 5.5, and tab; obs-text is Latin-1, which is what goes over the wire. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** Refuses what a guest may not send. Throws TransportError 'invalid-request' that names the header, never its value. */
export function checkRequestHeaders(headers: HeaderList): void {
  if (headers.length > MAX_HEADERS) {
    throw invalid(`${headers.length} headers: at most ${MAX_HEADERS} may be sent`)
  }
  let chars = 0
  for (const [name, value] of headers) {
    // They come from another thread: a guest that took it over could send anything.
    if (typeof name !== 'string' || typeof value !== 'string') throw invalid('a header that is no text')
    const shown = showName(name)
    if (!TOKEN.test(name))
      throw invalid(`the header ${shown}: its name holds a character that is not allowed`)
    if (name.length > MAX_HEADER_NAME_CHARS) {
      throw invalid(`the header ${shown}: its name is longer than ${MAX_HEADER_NAME_CHARS} characters`)
    }
    const lower = name.toLowerCase()
    if (FORBIDDEN.has(lower) || lower.startsWith('proxy-')) {
      throw invalid(`the header ${shown}: only the host may set it`)
    }
    if (value.length > MAX_HEADER_VALUE_CHARS) {
      throw invalid(`the header ${shown}: its value is longer than ${MAX_HEADER_VALUE_CHARS} characters`)
    }
    if (!VALUE.test(value)) {
      throw invalid(
        `the header ${shown}: its value holds a line break or another character that is not allowed`,
      )
    }
    chars += name.length + value.length
  }
  if (chars > MAX_HEADERS_CHARS) {
    throw invalid(`${chars} characters of headers: at most ${MAX_HEADERS_CHARS} may be sent`)
  }
}

const CREDENTIAL_NAME =
  /auth|cookie|token|secret|passw|credential|session|signature|api-?key|subscription-key/i

/** Whether a header of this name is taken for a credential: such a header never follows a redirect elsewhere. */
export function isCredentialHeader(name: string): boolean {
  return CREDENTIAL_NAME.test(name)
}

function invalid(what: string): TransportError {
  return new TransportError('invalid-request', `Cannot send ${what}`)
}

/** Names come from guests: control characters must not reach a terminal through an error. */
function showName(name: string): string {
  return JSON.stringify(name.length > 64 ? `${name.slice(0, 64)}…` : name).replace(
    /[\x7f-\x9f\u2028-\u202e\u2066-\u2069]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
