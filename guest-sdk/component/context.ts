import type { BrowserSignInResult, FetchOptions, ProviderSettings, SignInContext } from '../context.ts'
import { createHttpResponse, type HttpResponse } from '../http-response.ts'
import { ProviderError } from '../provider-error.ts'
import { host, hostReason } from './host.ts'
import { toWitRequest } from './http-request.ts'
import { log } from './log.ts'
import { providerHost } from './provider-host.ts'

/** What the functions of one provider are given. Its parts ask the host when they are called, not before. */
export function createContext(providerId: string): SignInContext {
  return {
    credential: () => providerHost.getCredential(providerId) ?? undefined,
    env: name => providerHost.getEnvVar(String(name)) ?? undefined,
    settings: () => readSettings(providerId),
    fetch: (url, options) => fetchWhole(url, options),
    log,
    now: () => host.now(),
    storeCredential(value) {
      attempt('Cannot store the credential', () => providerHost.storeCredential(providerId, String(value)))
    },
    deleteCredential() {
      attempt('Cannot delete the credential', () => providerHost.deleteCredential(providerId))
    },
    browserSignIn(options): BrowserSignInResult {
      const { callbackUrl, port } = attempt('Cannot sign in with the browser', () =>
        providerHost.oauthStartWebAuth({
          authUrl: String(options.authUrl),
          callbackPath: options.callbackPath,
          timeoutSecs: options.timeoutSeconds,
        }),
      )
      return { callbackUrl, port }
    },
    openBrowser(url) {
      attempt('Cannot open the browser', () => providerHost.oauthOpenBrowser(String(url)))
    },
  }
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
    throw new ProviderError({ kind: 'network', message: hostReason(cause) }, { cause })
  }
  return createHttpResponse(response)
}

function readSettings(providerId: string): ProviderSettings | undefined {
  const settings = providerHost.getProviderSettings(providerId)
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
    throw new ProviderError({ kind: 'other', message: `${what}: ${hostReason(cause)}` }, { cause })
  }
}
