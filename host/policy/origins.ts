/** Longest origin text: a host name has at most 253 characters (RFC 1035, 2.3.4), then scheme and port. */
const MAX_ORIGIN_CHARS = 270

/**
 * Why this text is no origin that a permission may name, or undefined where it is one.
 * An origin is written as it is compared: scheme and host in lower case, no default port, no path, no slash at
 * the end. `*.` may stand before a host of two labels or more and means every name below it, not the host itself.
 */
export function originProblem(text: string): string | undefined {
  if (text.length > MAX_ORIGIN_CHARS) return `has more than ${MAX_ORIGIN_CHARS} characters`
  const scheme = /^(https?):\/\//.exec(text)?.[1]
  if (scheme === undefined)
    return /^[a-z]+:/i.test(text) && !/^https?:/i.test(text)
      ? 'must begin with https:// (or with http://, spelled out)'
      : 'must be an origin such as "https://api.example.com"'
  const wildcard = text.startsWith(`${scheme}://*.`)
  const concrete = wildcard ? text.replace('*.', '') : text
  if (concrete.includes('*'))
    return '"*" may stand only as the whole first label, as in "https://*.example.com"'
  const url = URL.parse(concrete)
  if (url === null || url.hostname === '') return 'is not a URL'
  if (url.username !== '' || url.password !== '') return 'must hold no user name and no password'
  const origin = wildcard ? url.origin.replace('://', '://*.') : url.origin
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '' || /[?#]$/.test(text))
    return `must be an origin alone, without path or query: write "${origin}"`
  if (url.hostname.endsWith('.')) return 'must not end in a dot'
  if (wildcard && isAddress(url.hostname)) return '"*." cannot stand before an address'
  if (wildcard && !url.hostname.includes('.'))
    return '"*." needs a host of at least two labels behind it, as in "https://*.example.com"'
  if (text !== origin) return `must be written as it is compared: write "${origin}"`
  return undefined
}

/** Whether everything that `narrow` allows is allowed by `wide` too. Both are origins without a problem. */
export function originCovers(wide: string, narrow: string): boolean {
  if (wide === narrow) return true
  const star = wide.indexOf('://*.')
  if (star === -1) return false
  const from = splitOrigin(narrow)
  const to = splitOrigin(wide)
  // The dot stays in the compared ending, so that `*.example.com` covers neither itself nor `badexample.com`.
  return from.scheme === to.scheme && from.port === to.port && from.host.endsWith(to.host.slice(1))
}

function splitOrigin(origin: string): { scheme: string; host: string; port: string } {
  const [, scheme = '', host = '', port = ''] =
    /^(https?):\/\/(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(origin) ?? []
  return { scheme, host, port }
}

/** The WHATWG parser has made dotted decimal of every IPv4 spelling, and put brackets around IPv6. */
function isAddress(hostname: string): boolean {
  return hostname.startsWith('[') || /^\d+\.\d+\.\d+\.\d+$/.test(hostname)
}
