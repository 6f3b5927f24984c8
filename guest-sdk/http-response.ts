/** What came back over HTTP, whole. */
export interface HttpResponse {
  readonly status: number
  /** The status lies in 200 to 299. */
  readonly ok: boolean
  /** As they came, names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Uint8Array
  /** The first header of this name, in any case. */
  header(name: string): string | undefined
  /** The body as UTF-8; what is not UTF-8 becomes U+FFFD. */
  text(): string
  /** The body as JSON. @throws {ProviderError} kind `other` where it is not JSON, quoting its beginning. */
  json(): unknown
}
