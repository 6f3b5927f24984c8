import { createRequire } from 'node:module'

export type OpenTelemetry = typeof import('@opentelemetry/api')

/** How all copies of the API, of any version 1, find what was registered with one of them. */
const REGISTERED = Symbol.for('opentelemetry.js.api.1')
const load = createRequire(import.meta.url)
let api: OpenTelemetry | undefined

/**
 * The API, where the program has registered an SDK with it, now or earlier; else there is nobody to tell anything. It
 * is loaded only then, since loading it takes longer than anything else in this folder, and at once, since the call
 * that is watched has its parent now.
 */
export function openTelemetryApi(): OpenTelemetry | undefined {
  if (!(REGISTERED in globalThis)) return undefined
  api ??= load('@opentelemetry/api') as OpenTelemetry
  return api
}
