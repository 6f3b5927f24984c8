import { PermissionDeniedError, TransportError } from '../errors.ts'
import type { NetworkRules } from '../policy/network.ts'

/** What one placeholder stands for. */
export interface BoundSecret {
  /** Names it in messages: `credential:ext:provider`, `env:ext:NAME`. */
  key: string
  secret: string
  /** Where it may go. */
  origins: NetworkRules
}

export interface InjectableRequest {
  url: URL
  headers: readonly (readonly [string, string])[]
  body?: Uint8Array
  /** Fields of a JSON or form body that a secret may stand in: `client_secret`, `auth.key`. Default: none. */
  bodyFields?: readonly string[]
}

export interface InjectedRequest {
  url: URL
  headers: [string, string][]
  body?: Uint8Array
  /** Names, in lower case, of the headers that hold a secret now. */
  secretHeaders: ReadonlySet<string>
  /** Values made of a secret in which it cannot be seen any more, to be redacted as they are. */
  derived: string[]
}

export const PLACEHOLDER_PREFIX = 'airlock_'
/** 62^40 is 2^238. */
export const PLACEHOLDER_RANDOM_CHARS = 40

const PLAIN = new RegExp(`${PLACEHOLDER_PREFIX}[0-9A-Za-z]{${PLACEHOLDER_RANDOM_CHARS}}`, 'g')
/** Each character plain or percent-encoded: some encoders leave nothing plain. */
const ANY_SPELLING = new RegExp(
  `${[...PLACEHOLDER_PREFIX].map(orEncoded).join('')}(?:[0-9A-Za-z]|%[3-7][0-9A-Fa-f]){${PLACEHOLDER_RANDOM_CHARS}}`,
  'g',
)

/** Puts something else in the place of each placeholder, however it is spelled. */
export function replacePlaceholders(text: string, replace: (placeholder: string) => string): string {
  if (!text.includes('%') && !text.includes(PLACEHOLDER_PREFIX)) return text
  return text.replace(ANY_SPELLING, spelling => replace(spelling.includes('%') ? decode(spelling) : spelling))
}

const BASIC = /^(basic +)([0-9A-Za-z+/_-]+=*)$/i
/** RFC 9110, 5.5: a secret with a line break in it would end the header. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/**
 * Swaps placeholders for secrets in header values (inside `Basic` credentials too), the query, and named body
 * fields. Anywhere else a placeholder stays what it is, a random word.
 *
 * Throws PermissionDeniedError for a placeholder bound for an origin that is not its own.
 */
export function injectSecrets(
  request: InjectableRequest,
  resolve: (placeholder: string) => BoundSecret | undefined,
): InjectedRequest {
  const { url, headers, body, bodyFields = [] } = request

  function secretFor(placeholder: string): BoundSecret | undefined {
    const bound = resolve(placeholder)
    if (bound === undefined || bound.origins.allows(url)) return bound
    const where = bound.origins.origins.join(', ') || 'nowhere'
    throw new PermissionDeniedError(
      bound.key,
      `Cannot send ${bound.key} to ${url.origin}: it may go to ${where} only`,
    )
  }

  /** `plain` writes a secret that stood plain; where the placeholder was percent-encoded, the secret is too. */
  function swap(text: string, plain: (secret: string) => string): string {
    if (!text.includes('%') && !text.includes(PLACEHOLDER_PREFIX)) return text
    return text.replace(ANY_SPELLING, spelling => {
      const encoded = spelling.includes('%')
      const bound = secretFor(encoded ? decode(spelling) : spelling)
      if (bound === undefined) return spelling
      return encoded ? encodeURIComponent(bound.secret.toWellFormed()) : plain(bound.secret)
    })
  }

  const secretHeaders = new Set<string>()
  const derived: string[] = []
  const swapped = headers.map(([name, value]): [string, string] => {
    let result = swap(value, secret => secret)
    const [, scheme = '', token = ''] = (result === value && BASIC.exec(value)) || []
    if (token !== '') {
      const pair = Buffer.from(token, 'base64').toString('latin1')
      const full = swap(pair, secret => Buffer.from(secret).toString('latin1'))
      if (full === pair) return [name, value]
      const encoded = Buffer.from(full, 'latin1').toString('base64')
      derived.push(encoded)
      result = scheme + encoded
    }
    if (result === value) return [name, value]
    if (!HEADER_VALUE.test(result)) {
      throw new TransportError(
        'invalid-request',
        `Cannot send the header "${name}": the secret in it holds a line break or another character that no header may hold`,
      )
    }
    secretHeaders.add(name.toLowerCase())
    return [name, result]
  })

  let target = url
  const search = swap(url.search, secret => encodeURIComponent(secret.toWellFormed()))
  if (search !== url.search) {
    target = new URL(url)
    target.search = search
  }

  const newBody =
    body === undefined ? undefined : injectBody(body, contentType(headers), bodyFields, swap, secretFor)
  return {
    url: target,
    headers: swapped,
    ...(newBody !== undefined && { body: newBody }),
    secretHeaders,
    derived,
  }
}

type Swap = (text: string, plain: (secret: string) => string) => string

function injectBody(
  body: Uint8Array,
  type: string,
  fields: readonly string[],
  swap: Swap,
  secretFor: (placeholder: string) => BoundSecret | undefined,
): Uint8Array {
  if (fields.length === 0) return body
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  if (type === 'application/x-www-form-urlencoded') {
    const form = bytes.toString('latin1')
    const swapped = swapInForm(form, fields, swap)
    return swapped === form ? body : Buffer.from(swapped, 'latin1')
  }
  if (!type.includes('json') || !bytes.includes(PLACEHOLDER_PREFIX)) return body
  const text = bytes.toString('utf8')
  const swapped = swapInJson(text, fields, secretFor)
  return swapped === text ? body : Buffer.from(swapped)
}

function swapInForm(form: string, fields: readonly string[], swap: Swap): string {
  return form
    .split('&')
    .map(pair => {
      const equals = pair.indexOf('=')
      if (equals === -1 || !fields.includes(decode(pair.slice(0, equals)))) return pair
      const value = swap(pair.slice(equals + 1), secret => encodeURIComponent(secret.toWellFormed()))
      return pair.slice(0, equals + 1) + value
    })
    .join('&')
}

/**
 * The text is changed and not written anew: numbers too large for JavaScript must survive. So every place of a
 * placeholder in the text has to be one of the named fields; one more, and which is which could not be told.
 */
function swapInJson(
  text: string,
  fields: readonly string[],
  secretFor: (placeholder: string) => BoundSecret | undefined,
): string {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return text
  }
  const named = fields
    .map(field => valueAt(parsed, field.split('.')))
    .filter(value => typeof value === 'string')
    .flatMap(value => value.match(PLAIN) ?? [])
  let result = text
  for (const placeholder of new Set(named)) {
    const bound = secretFor(placeholder)
    if (bound === undefined) continue
    const places = text.split(placeholder).length - 1
    if (places !== named.filter(other => other === placeholder).length) {
      throw new PermissionDeniedError(
        bound.key,
        `Cannot send ${bound.key} in a body: it stands outside of the fields that permissions.bodyFields names (${fields.join(', ')})`,
      )
    }
    result = result.replaceAll(placeholder, () => JSON.stringify(bound.secret).slice(1, -1))
  }
  return result
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  let at = value
  for (const key of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined
    at = (at as Record<string, unknown>)[key]
  }
  return at
}

function contentType(headers: readonly (readonly [string, string])[]): string {
  const value = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? ''
  return value.split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

function orEncoded(character: string): string {
  const hex = character.charCodeAt(0).toString(16)
  const digits = [...hex]
    .map(digit => (/[a-f]/.test(digit) ? `[${digit}${digit.toUpperCase()}]` : digit))
    .join('')
  return `(?:${character}|%${digits})`
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
