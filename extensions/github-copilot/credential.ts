import {
  type Context,
  errorFromResponse,
  isObject,
  ProviderError,
  type RequestHeaders,
  readObject,
  type SignInContext,
} from '@airlock/guest-sdk'
import { addresses, apiVersion, identity } from './service.ts'

/** What is stored: GitHub's token, which lasts, and Copilot's, which ends after half an hour. */
interface Stored {
  githubToken: string
  accessToken: string
  /** Milliseconds since 1970; the host asks for another before that. */
  expiresAt: number
  public: { apiUrl: string }
}

const DEFAULT_API_URL = 'https://api.githubcopilot.com'
/** Where the answer does not say: what Copilot's tokens have. */
const DEFAULT_LIFETIME_SECONDS = 1_500

/** @throws {ProviderError} kind `authentication` where nobody is signed in */
export function copilot(context: Context): { apiUrl: string; headers: RequestHeaders } {
  const stored = readStored(context)
  if (stored === undefined) throw signInNeeded()
  return {
    apiUrl: stored.public.apiUrl,
    headers: { authorization: `Bearer ${stored.accessToken}`, ...identity, ...apiVersion },
  }
}

export function isSignedIn(context: Context): boolean {
  return readStored(context) !== undefined
}

/** Another token of Copilot's for the same token of GitHub's. */
export function refreshCopilotToken(context: SignInContext): boolean {
  const stored = readStored(context)
  if (stored === undefined) return false
  storeCopilotToken(context, stored.githubToken)
  return true
}

/**
 * Asks for a token of Copilot's and stores both.
 * @throws {ProviderError} kind `authentication` where GitHub takes its own token no more, `permission` where the
 * account has no Copilot
 */
export function storeCopilotToken(context: SignInContext, githubToken: string): void {
  const response = context.fetch(`${addresses(context).api}/copilot_internal/v2/token`, {
    headers: { authorization: `token ${githubToken}`, accept: 'application/json', ...identity },
    maxRedirects: 0,
  })
  if (!response.ok) {
    const details = errorFromResponse(response)
    const message =
      response.status === 401
        ? 'GitHub does not take this sign-in any more'
        : response.status === 403 || response.status === 404
          ? `This GitHub account may not use Copilot: ${details.message}`
          : `Cannot get a token for Copilot: ${details.message}`
    const kind =
      response.status === 401 ? 'authentication' : response.status === 404 ? 'permission' : details.kind
    throw new ProviderError({ ...details, kind, message })
  }
  context.storeCredential(JSON.stringify(readToken(context, response.json(), githubToken)))
}

function readToken(context: Context, answer: unknown, githubToken: string): Stored {
  const { token, expires_at: expiresAt, endpoints } = readObject(answer, 'the answer')
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token)) {
    throw new ProviderError({ kind: 'other', message: 'Cannot get a token for Copilot: the answer has none' })
  }
  const seconds =
    typeof expiresAt === 'number' && expiresAt > 0
      ? expiresAt
      : context.now() / 1000 + DEFAULT_LIFETIME_SECONDS
  const named = isObject(endpoints) && typeof endpoints.api === 'string' ? endpoints.api.trim() : ''
  const own = context.settings()?.apiUrl ? addresses(context).api : DEFAULT_API_URL
  return {
    githubToken,
    accessToken: token,
    expiresAt: Math.floor(seconds * 1000),
    public: { apiUrl: (/^https?:\/\//i.test(named) ? named : own).replace(/\/+$/, '') },
  }
}

function readStored(context: Context): Stored | undefined {
  const text = context.credential()
  if (text === undefined) return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isObject(value) || !isObject(value.public)) return undefined
  const { githubToken, accessToken, expiresAt } = value
  const { apiUrl } = value.public
  if (typeof githubToken !== 'string' || typeof accessToken !== 'string' || typeof apiUrl !== 'string')
    return undefined
  return { githubToken, accessToken, expiresAt: Number(expiresAt), public: { apiUrl } }
}

function signInNeeded(): ProviderError {
  return new ProviderError({
    kind: 'authentication',
    message: 'Cannot ask GitHub Copilot: nobody is signed in. Run "airlock login github-copilot".',
  })
}
