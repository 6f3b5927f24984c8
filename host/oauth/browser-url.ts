import { PermissionDeniedError } from '../errors.ts'
import type { NetworkRules } from '../policy/network.ts'
import { plainText } from './plain-text.ts'
import { SignInError } from './sign-in-error.ts'

// Windows takes about 32,000 characters for a whole command line, and the URL is in there twice encoded.
const MAX_CHARACTERS = 8192

/** Which origins a browser may be sent to, and whom to name in a refusal. */
export interface BrowserPermission {
  /** The `browser` list of manifest and grant. Where there are two locks, pass rules that need both. */
  rules: NetworkRules
  /** The file that would have to change, e.g. `extensions/acme/extension.json`. */
  manifestFile: string
}

/**
 * A URL that a browser may be given. What is opened must be the `href` of what this returns.
 * @throws {SignInError} `sign-in-invalid-url` where it is no http(s) URL, or holds control characters or white space
 */
export function browserUrl(text: string): URL {
  const shown = JSON.stringify(plainText(text, 80))
  const refuse = (rule: string) => new SignInError('sign-in-invalid-url', `Cannot open ${shown}: ${rule}`)
  if (text.length > MAX_CHARACTERS) throw refuse(`it has more than ${MAX_CHARACTERS} characters`)
  // The parser drops tabs and line ends silently, so that a check after it would see another text.
  if (/[\u0000-\u0020\u007f-\u009f]/.test(text)) throw refuse('it holds control characters or white space')
  const url = URL.parse(text)
  if (url === null) throw refuse('it is not a URL')
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw refuse(`only https and http are opened in a browser, this is ${plainText(url.protocol, 40)}`)
  }
  return url
}

/**
 * As `browserUrl`, and of an origin that the extension may send the user to.
 * @throws {PermissionDeniedError} where the origin is not allowed
 */
export function allowedBrowserUrl(text: string, permission: BrowserPermission): URL {
  const url = browserUrl(text)
  if (permission.rules.allows(url)) return url
  const credentials = url.username !== '' || url.password !== ''
  throw new PermissionDeniedError(
    `browser: ${url.origin}`,
    credentials
      ? `Cannot open a page of "${url.origin}": its URL holds a user name or password; leave them out`
      : `Cannot open a page of "${url.origin}" in the browser: it is not in permissions.browser of ${permission.manifestFile}`,
  )
}
