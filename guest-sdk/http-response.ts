import { ProviderError } from './provider-error.ts'

/** What came back over HTTP, whole. */
export interface HttpResponse {
  readonly status: number
  /** The status lies in 200 to 299. */
  readonly ok: boolean
  /** As they came. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Uint8Array
  /** The first header of this name, in any case. */
  header(name: string): string | undefined
  /** The body as UTF-8; what is not UTF-8 becomes U+FFFD. */
  text(): string
  /** The body as JSON. @throws {ProviderError} kind `other` where it is not JSON, quoting its beginning. */
  json(): unknown
}

// Enough to see what answered instead, e.g. an HTML page or a proxy's sentence.
const QUOTED_CHARACTERS = 120

/** Makes a response of its parts, e.g. in a test of `reject`. */
export function createHttpResponse(parts: {
  status: number
  headers?: readonly (readonly [name: string, value: string])[]
  body?: Uint8Array | string
}): HttpResponse {
  const { status, headers = [], body = '' } = parts
  let text = typeof body === 'string' ? body : undefined
  let bytes = typeof body === 'string' ? undefined : body
  return {
    status,
    ok: status >= 200 && status <= 299,
    headers,
    get body() {
      bytes ??= new TextEncoder().encode(text)
      return bytes
    },
    header(name) {
      const wanted = name.toLowerCase()
      return headers.find(([name]) => name.toLowerCase() === wanted)?.[1]
    },
    text() {
      text ??= new TextDecoder().decode(bytes)
      return text
    },
    json() {
      const json = this.text()
      try {
        return JSON.parse(json)
      } catch (cause) {
        const quoted = json.trim().slice(0, QUOTED_CHARACTERS)
        throw new ProviderError(
          {
            kind: 'other',
            status,
            message: `Cannot read the answer as JSON (status ${status}): ${quoted ? `it begins with ${JSON.stringify(quoted)}` : 'it is empty'}`,
          },
          { cause },
        )
      }
    },
  }
}
