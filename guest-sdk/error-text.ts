/** What an error's value says, wherever the service put it. */
export interface ErrorText {
  /** Absent where the value holds no text. */
  message?: string
  /** The service's own code, status name and type, the most telling first. */
  names: string[]
  /** An HTTP status that the value carries as its code. */
  status?: number
  retryAfterMs?: number
}

// A message that is longer is a page or a dump.
const MAX_MESSAGE_CHARACTERS = 500
// Of a body that is no error object: enough to recognize it.
const MAX_RAW_CHARACTERS = 200
const MAX_DEPTH = 4

/**
 * Finds message and code in what services send: `error.message`, `error` as a string, `message`, `detail`
 * (also a list), `errors[0]`, RFC 7807, OAuth's `error_description`, else the beginning of the text. Of an
 * HTML page only its title is taken.
 */
export function findErrorText(value: unknown): ErrorText {
  const parsed = typeof value === 'string' ? parse(value) : value
  const found: ErrorText = { names: [] }
  search(parsed, found, 0)
  if (found.message === undefined && typeof value === 'string') {
    const message = rawMessage(value)
    if (message !== undefined) found.message = message
  }
  return found
}

function search(value: unknown, found: ErrorText, depth: number): void {
  if (depth > MAX_DEPTH) return
  if (typeof value === 'string') {
    const message = rawMessage(value, MAX_MESSAGE_CHARACTERS)
    if (message !== undefined) found.message ??= message
    return
  }
  if (Array.isArray(value)) {
    if (value.length > 0) search(value[0], found, depth + 1)
    return
  }
  if (typeof value !== 'object' || value === null) return
  const body = value as Readonly<Record<string, unknown>>
  addNames(body, found)
  addRetryDelay(body.details, found)
  const { error, errors } = body
  if (typeof error === 'string' && typeof body.error_description === 'string') {
    found.names.push(error)
    search(body.error_description, found, depth + 1)
  } else if (error !== undefined && error !== null) {
    search(error, found, depth + 1)
  }
  for (const key of ['message', 'detail', 'msg', 'title', 'description'] as const) {
    if (found.message !== undefined) break
    search(body[key], found, depth + 1)
  }
  if (found.message === undefined && errors !== undefined) search(errors, found, depth + 1)
  addUpstream(body.metadata, found, depth)
}

function addNames(body: Readonly<Record<string, unknown>>, found: ErrorText): void {
  const { code, status, type, reason } = body
  for (const name of [code, reason, status, type]) {
    // RFC 7807 has a URL as its type; `error` says nothing.
    if (typeof name === 'string' && /^[\w.-]{1,80}$/.test(name) && name !== 'error' && !/^\d+$/.test(name)) {
      found.names.push(name)
    }
  }
  for (const number of [code, status]) {
    const asNumber = typeof number === 'string' && /^\d{3}$/.test(number) ? Number(number) : number
    if (typeof asNumber === 'number' && asNumber >= 400 && asNumber <= 599) found.status ??= asNumber
  }
}

/** Google: `details: [{ "@type": ".../google.rpc.RetryInfo", "retryDelay": "37s" }, { reason: "API_KEY_INVALID" }]`. */
function addRetryDelay(details: unknown, found: ErrorText): void {
  if (!Array.isArray(details)) return
  for (const detail of details) {
    if (typeof detail !== 'object' || detail === null) continue
    const { retryDelay, reason } = detail as Readonly<Record<string, unknown>>
    if (typeof reason === 'string' && /^[A-Z_]{1,80}$/.test(reason)) found.names.unshift(reason)
    const seconds = typeof retryDelay === 'string' ? /^(\d+(?:\.\d+)?)s$/.exec(retryDelay)?.[1] : undefined
    if (seconds !== undefined) found.retryAfterMs ??= Math.ceil(Number(seconds) * 1000)
  }
}

/** OpenRouter says "Provider returned error" and puts what the provider said into `metadata.raw`. */
function addUpstream(metadata: unknown, found: ErrorText, depth: number): void {
  if (typeof metadata !== 'object' || metadata === null) return
  const { raw } = metadata as Readonly<Record<string, unknown>>
  if (raw === undefined || raw === null) return
  const upstream: ErrorText = { names: [] }
  search(typeof raw === 'string' ? (parse(raw) ?? raw) : raw, upstream, depth + 1)
  found.names.push(...upstream.names)
  if (upstream.message !== undefined && upstream.message !== found.message) {
    found.message = cut([found.message, upstream.message].filter(Boolean).join(': '), MAX_MESSAGE_CHARACTERS)
  }
}

function rawMessage(text: string, most = MAX_RAW_CHARACTERS): string | undefined {
  const trimmed = text.trim()
  if (trimmed === '') return undefined
  if (/^<(!doctype|html|head|body|\?xml)/i.test(trimmed) || /<\/(html|body|head)>/i.test(trimmed)) {
    const title = /<title[^>]*>([^<]{1,500})/i.exec(trimmed)?.[1]?.replace(/\s+/g, ' ').trim()
    return title
      ? cut(`The service answered with a web page: ${title}`, most)
      : 'The service answered with a web page'
  }
  return cut(trimmed, most)
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most).toWellFormed()}...` : text
}

function parse(text: string): unknown {
  const first = text.trimStart()[0]
  if (first !== '{' && first !== '[' && first !== '"') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
