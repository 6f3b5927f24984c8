import * as http from 'airlock:llm/http-client@0.1.0'
import * as llm from 'airlock:llm/llm-provider@0.1.0'
import * as system from 'airlock:llm/system@0.1.0'
import type { Received, Sent } from '../contract/wit.ts'

type HostFunction<F> = F extends (...args: infer Args) => infer Result
  ? (...args: { [Key in keyof Args]: Sent<Args[Key]> }) => Received<Result>
  : never

type Host<Interface, Name extends keyof Interface> = { [Key in Name]: HostFunction<Interface[Key]> }

type SystemName = 'log' | 'now' | 'randomBytes'
type HttpName = 'fetchFallible'
type ProviderName =
  | 'getCredential'
  | 'storeCredential'
  | 'deleteCredential'
  | 'getEnvVar'
  | 'getProviderSettings'
  | 'oauthStartWebAuth'
  | 'oauthSendHttpRequest'
  | 'oauthOpenBrowser'

/** The host's functions with the types that QuickJS gives them. */
export const host = { ...http, ...llm, ...system } as unknown as Host<typeof system, SystemName> &
  Host<typeof http, HttpName> &
  Host<typeof llm, ProviderName> & { fetchStream(request: Sent<http.HttpRequest>): HttpResponseStream }

export type WitHttpRequest = Sent<http.HttpRequest>
export type WitHttpResponse = Received<http.HttpResponseWithStatus>

export interface HttpResponseStream {
  status(): number
  headers(): [string, string][]
  /** Null at the end of the body. */
  nextChunk(): Uint8Array | null
  [Symbol.dispose](): void
}
