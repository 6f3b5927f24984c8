import * as http from 'airlock:llm/http-client@0.1.0'
import * as system from 'airlock:llm/system@0.1.0'
import type { Received, Sent } from '../contract/wit.ts'

type HostFunction<F> = F extends (...args: infer Args) => infer Result
  ? (...args: { [Key in keyof Args]: Sent<Args[Key]> }) => Received<Result>
  : never

/** Functions of an interface with the types that QuickJS gives them. */
export type Host<Interface, Name extends keyof Interface> = { [Key in Name]: HostFunction<Interface[Key]> }

type SystemName = 'log' | 'now' | 'randomBytes'
type HttpName = 'fetchFallible'

/** What every extension has of its host, whatever it brings. */
export const host = { ...http, ...system } as unknown as Host<typeof system, SystemName> &
  Host<typeof http, HttpName> & { fetchStream(request: Sent<http.HttpRequest>): HttpResponseStream }

export type WitHttpRequest = Sent<http.HttpRequest>
export type WitHttpResponse = Received<http.HttpResponseWithStatus>

export interface HttpResponseStream {
  status(): number
  headers(): [string, string][]
  /** Null at the end of the body. */
  nextChunk(): Uint8Array | null
  [Symbol.dispose](): void
}

/** What the host throws is the string of the contract's `result`. */
export function hostReason(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
