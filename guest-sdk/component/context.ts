import type { BrowserSignInResult, FetchOptions, Log, ProviderSettings, SignInContext } from '../context.ts'
import { createHttpResponse, type HttpResponse } from '../http-response.ts'
import { ProviderError } from '../provider-error.ts'
import { host } from './host.ts'
import { toWitRequest } from './http-request.ts'

/** What the functions of one provider are given. Its parts ask the host when they are called, not before. */
export function createContext(providerId: string): SignInContext {
  return {
    credential: () => host.getCredential(providerId) ?? undefined,
    env: name => host.getEnvVar(String(name)) ?? undefined,
    settings: () => readSettings(providerId),
    fetch: (url, options) => fetchWhole(url, options),
    log,
    now: () => host.now(),
    storeCredential(value) {
      attempt('Cannot store the credential', () => host.storeCredential(providerId, String(value)))
    },
    deleteCredential() {
      attempt('Cannot delete the credential', () => host.deleteCredential(providerId))
    },
    browserSignIn(options): BrowserSignInResult {
      const { callbackUrl, port } = attempt('Cannot sign in with the browser', () =>
        host.oauthStartWebAuth({
          authUrl: String(options.authUrl),
          callbackPath: options.callbackPath,
          timeoutSecs: options.timeoutSeconds,
        }),
      )
      return { callbackUrl, port }
    },
    openBrowser(url) {
      attempt('Cannot open the browser', () => host.oauthOpenBrowser(String(url)))
    },
  }
}

const log: Log = {
  debug: message => host.log('debug', String(message).toWellFormed()),
  info: message => host.log('info', String(message).toWellFormed()),
  warn: message => host.log('warn', String(message).toWellFormed()),
  error: message => host.log('error', String(message).toWellFormed()),
}

let blockingCalls = 0

/** Counts the calls that made the guest wait, so that `respond` can tell events that came at once from events it waited for. */
export function countBlockingCalls(): number {
  return blockingCalls
}

function fetchWhole(url: string | URL, options: FetchOptions = {}): HttpResponse {
  const request = toWitRequest({ ...options, url })
  blockingCalls++
  let response: ReturnType<typeof host.fetchFallible>
  try {
    response = host.fetchFallible(request)
  } catch (cause) {
    throw new ProviderError({ kind: 'network', message: reason(cause) }, { cause })
  }
  return createHttpResponse(response)
}

function readSettings(providerId: string): ProviderSettings | undefined {
  const settings = host.getProviderSettings(providerId)
  if (settings === null) return undefined
  return {
    ...(settings.apiUrl !== null && { apiUrl: settings.apiUrl }),
    availableModels: settings.availableModels.map(model => ({
      name: model.name,
      ...(model.displayName !== null && { displayName: model.displayName }),
      maxTokens: model.maxTokens,
      ...(model.maxOutputTokens !== null && { maxOutputTokens: model.maxOutputTokens }),
      ...(model.thinkingBudget !== null && { thinkingBudget: model.thinkingBudget }),
    })),
  }
}

function attempt<T>(what: string, run: () => T): T {
  blockingCalls++
  try {
    return run()
  } catch (cause) {
    throw new ProviderError({ kind: 'other', message: `${what}: ${reason(cause)}` }, { cause })
  }
}

/** The host throws the string of the contract's `result`. */
function reason(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
