// `access_token`, `refresh_token`, `id_token`, `token`, `key`, `api_key`, `client_secret`, `device_code`.
const NAME = /(^|_)(token|key|secret|device_code)$/i
// Longer is no answer of a token endpoint.
const MAX_BYTES = 256 * 1024

/** What looks like a secret in an answer that a guest gets while it signs in: fields of JSON or of a form. */
export function findTokens(body: Uint8Array): string[] {
  return findTokenFields(body).map(([, value]) => value)
}

/** As `findTokens`, with the names of the fields. */
export function findTokenFields(body: Uint8Array): [name: string, value: string][] {
  if (body.byteLength > MAX_BYTES) return []
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8').trim()
  const fields = text.startsWith('{') ? jsonFields(text) : [...new URLSearchParams(text)]
  return fields.flatMap(([name, value]): [string, string][] =>
    NAME.test(name) && typeof value === 'string' ? [[name, value]] : [],
  )
}

function jsonFields(text: string): [string, unknown][] {
  try {
    return Object.entries(JSON.parse(text) as object)
  } catch {
    return []
  }
}
