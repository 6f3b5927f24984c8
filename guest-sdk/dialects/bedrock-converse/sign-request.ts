import { hmac } from '@noble/hashes/hmac.js'
import { sha256 as sha256Hash } from '@noble/hashes/sha2.js'
import { sha256 } from '../../sha256.ts'

export interface AwsCredentials {
  accessKeyId: string
  secretAccessKey: string
  /** Of temporary credentials. */
  sessionToken?: string
}

export interface SigningRequest {
  method: string
  /** Absolute, as it is sent. */
  url: string
  /** What is signed besides `host` and what this adds. */
  headers?: Readonly<Record<string, string>>
  /** Default: none. */
  body?: string | Uint8Array
  region: string
  service: string
  credentials: AwsCredentials
  /** Milliseconds since 1970: the service takes a signature for five minutes. */
  now: number
}

const ALGORITHM = 'AWS4-HMAC-SHA256'

/**
 * The headers that prove who sends a request: Signature Version 4.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 * @returns All headers to send, but for `host`, which the sender writes itself.
 */
export function signRequest(request: SigningRequest): Record<string, string> {
  const { method, url, headers = {}, body = '', region, service, credentials, now } = request
  const { accessKeyId, secretAccessKey, sessionToken } = credentials
  const { host, path, query } = splitUrl(url)
  const time = formatTime(now)
  const date = time.slice(0, 8)
  const sent: Record<string, string> = {
    ...headers,
    'x-amz-date': time,
    ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }),
  }
  const signed = Object.entries({ ...sent, host })
    .map(([name, value]) => [name.toLowerCase(), value.trim().replace(/ +/g, ' ')] as const)
    .sort(([a], [b]) => compare(a, b))
  const signedNames = signed.map(([name]) => name).join(';')
  const canonicalRequest = [
    method.toUpperCase(),
    canonicalPath(path),
    canonicalQuery(query),
    ...signed.map(([name, value]) => `${name}:${value}`),
    '',
    signedNames,
    hex(sha256(body)),
  ].join('\n')
  const scope = `${date}/${region}/${service}/aws4_request`
  const stringToSign = [ALGORITHM, time, scope, hex(sha256(canonicalRequest))].join('\n')
  const signature = hex(mac(signingKey(secretAccessKey, date, region, service), stringToSign))
  return {
    ...sent,
    authorization: `${ALGORITHM} Credential=${accessKeyId}/${scope}, SignedHeaders=${signedNames}, Signature=${signature}`,
  }
}

/** The secret itself signs nothing: each day, region and service has a key of its own. */
export function signingKey(secret: string, date: string, region: string, service: string): Uint8Array {
  const steps = [date, region, service, 'aws4_request']
  return steps.reduce((key, step) => mac(key, step), utf8(`AWS4${secret}`))
}

function splitUrl(url: string): { host: string; path: string; query: string } {
  const parts = /^https?:\/\/([^/?#]+)([^?#]*)(?:\?([^#]*))?/i.exec(url)
  if (!parts)
    throw new TypeError(`Cannot sign a request: url must be an absolute http or https URL: it is "${url}"`)
  const [, host = '', path = '', query = ''] = parts
  // A sender leaves the port out where it is the scheme's own.
  const bare = host.toLowerCase().replace(url.startsWith('https') ? /:443$/ : /:80$/, '')
  return { host: bare, path: path === '' ? '/' : path, query }
}

/** What is encoded in the URL already is encoded once more: every service but S3 wants it so. */
function canonicalPath(path: string): string {
  return path.split('/').map(encode).join('/')
}

function canonicalQuery(query: string): string {
  if (query === '') return ''
  return query
    .split('&')
    .map(pair => {
      const equals = pair.indexOf('=')
      const [name, value] = equals === -1 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)]
      return [encode(decode(name)), encode(decode(value))] as const
    })
    .sort(([nameA, valueA], [nameB, valueB]) => compare(nameA, nameB) || compare(valueA, valueB))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
}

/** RFC 3986: everything but letters, digits and `-._~`. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** By code units; names and values are ASCII here. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** `20150830T123600Z` */
function formatTime(now: number): string {
  return new Date(now)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replace(/[:-]/g, '')
}

function mac(key: Uint8Array, text: string): Uint8Array {
  return hmac(sha256Hash, key, utf8(text))
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
}
