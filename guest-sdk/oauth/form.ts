/** Names and values. What is undefined is left out. */
export type FormFields = Readonly<Record<string, string | undefined>>

/**
 * `application/x-www-form-urlencoded`, as RFC 6749 wants it everywhere (appendix B).
 * Written out here: URLSearchParams would bring a library into a component that needs no more than this.
 */
export function encodeForm(fields: FormFields): string {
  return Object.entries(fields)
    .filter((field): field is [string, string] => field[1] !== undefined)
    .map(([name, value]) => `${encodeFormValue(name)}=${encodeFormValue(value)}`)
    .join('&')
}

export function encodeFormValue(text: string): string {
  return encodeURIComponent(text.toWellFormed())
    .replace(/[!'()~]/g, character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+')
}

/** All pairs in order. What is not percent-encoding stays as it is. */
export function decodeForm(text: string): [name: string, value: string][] {
  return text
    .split('&')
    .filter(pair => pair !== '')
    .map(pair => {
      const equals = pair.indexOf('=')
      return equals === -1
        ? [decodeValue(pair), '']
        : [decodeValue(pair.slice(0, equals)), decodeValue(pair.slice(equals + 1))]
    })
}

function decodeValue(text: string): string {
  const spaced = text.replaceAll('+', ' ')
  try {
    return decodeURIComponent(spaced)
  } catch {
    return spaced
  }
}

/** Adds parameters to the query of a URL. @throws {TypeError} where the URL has a fragment or the name already */
export function addQuery(url: string, fields: FormFields): string {
  // RFC 6749, 3.1: "The endpoint URI MUST NOT include a fragment component."
  if (url.includes('#')) throw new TypeError(`Cannot add parameters to ${url}: it has a fragment`)
  const mark = url.indexOf('?')
  const present = mark === -1 ? [] : decodeForm(url.slice(mark + 1)).map(([name]) => name)
  const twice = present.find(name => fields[name] !== undefined)
  if (twice !== undefined) throw new TypeError(`Cannot add "${twice}" to ${url}: it is there already`)
  const query = encodeForm(fields)
  if (query === '') return url
  return `${url}${mark === -1 ? '?' : /[?&]$/.test(url) ? '' : '&'}${query}`
}
