import type { Context, FetchOptions, HttpResponse, ProviderSettings } from '../../../guest-sdk/index.ts'
import { ProviderError } from '../../../guest-sdk/index.ts'

export interface Sent {
  url: string
  options: FetchOptions
}

/** What a host would offer: settings, a key, and a server that answers `GET …/models`. */
export interface Offered {
  apiUrl?: string
  availableModels?: ProviderSettings['availableModels']
  credential?: string
  env?: Record<string, string>
  /** The body of the answer, sent as JSON unless it is a text; absent: no answer comes. */
  models?: unknown
  status?: number
}

export function offer(offered: Offered): Context & { sent: Sent[]; warnings: string[] } {
  const { apiUrl, availableModels = [], credential, env = {}, models, status = 200 } = offered
  const sent: Sent[] = []
  const warnings: string[] = []
  return {
    sent,
    warnings,
    credential: () => credential,
    env: name => env[name],
    settings: () =>
      apiUrl === undefined && availableModels.length === 0
        ? undefined
        : { ...(apiUrl !== undefined && { apiUrl }), availableModels },
    fetch(url, options = {}) {
      sent.push({ url: String(url), options })
      if (models === undefined) throw new ProviderError({ kind: 'network', message: 'connection refused' })
      return answer(status, typeof models === 'string' ? models : JSON.stringify(models))
    },
    log: { debug() {}, info() {}, warn: message => warnings.push(message), error() {} },
    now: () => 0,
  }
}

function answer(status: number, text: string): HttpResponse {
  return {
    status,
    ok: status >= 200 && status <= 299,
    headers: [],
    body: new TextEncoder().encode(text),
    header: () => undefined,
    text: () => text,
    json: () => JSON.parse(text) as unknown,
  }
}
