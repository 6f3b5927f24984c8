import type * as wit from 'airlock:llm/llm-provider@0.1.0'
import type { Sent } from '../contract/wit.ts'
import { ProviderError, type ProviderErrorDetails, type ProviderErrorKind } from '../provider-error.ts'
import { host } from './host.ts'

export type WitProviderError = Sent<wit.ProviderError>

const KINDS: readonly ProviderErrorKind[] = [
  'authentication',
  'permission',
  'rate-limited',
  'quota-exhausted',
  'overloaded',
  'context-length-exceeded',
  'model-not-found',
  'content-filtered',
  'invalid-request',
  'unsupported',
  'network',
  'other',
]

/**
 * Whatever an author's code threw, as the contract's error. Never throws. What the author did not throw on
 * purpose goes to the log with its stack.
 */
export function toWitError(thrown: unknown, where: string): WitProviderError {
  try {
    if (isDetails(thrown)) return toWitErrorDetails(thrown)
    const message = messageOf(thrown)
    if (isOutOfMemory(message)) return { kind: 'other', message: outOfMemory(where) }
    logThrown(thrown, where)
    return { kind: 'other', message: message || `${where} threw an error without a message` }
  } catch {
    return { kind: 'other', message: `${where} threw a value that cannot be read` }
  }
}

/**
 * Logs what an author's function threw and where. Never throws. Stack lines are positions in the bundle,
 * which the source map beside the component translates.
 */
export function logThrown(thrown: unknown, where: string, level: 'error' | 'debug' = 'error'): void {
  try {
    let entry = `${where} threw ${describe(thrown)}`
    let error = thrown
    // A chain of causes may be a ring.
    for (let depth = 0; error instanceof Error && depth < 4; depth++, error = error.cause) {
      if (depth > 0) entry += `\ncaused by ${describe(error)}`
      if (typeof error.stack === 'string') entry += `\n${error.stack.trimEnd()}`
    }
    host.log(level, entry.toWellFormed())
  } catch {
    host.log('error', `${where} threw a value that cannot be read`)
  }
}

/** The contract's error of details that an author made. Values of the wrong type are left out. */
export function toWitErrorDetails(details: ProviderErrorDetails): WitProviderError {
  const { kind, message, status, code, retryAfterMs } = details
  return {
    kind: KINDS.find(known => known === kind) ?? 'other',
    message: String(message).toWellFormed(),
    status: isCount(status, 0xffff) ? status : null,
    code: code === undefined || code === null ? null : String(code).toWellFormed(),
    retryAfterMs: isCount(retryAfterMs, Number.MAX_SAFE_INTEGER) ? Math.ceil(retryAfterMs) : null,
  }
}

/** By the engine's own words. Its stack is not worth asking for: making one would need memory. */
export function isOutOfMemory(message: string): boolean {
  return message === 'out of memory'
}

export function outOfMemory(where: string): string {
  return `${where} ran out of memory: permissions.memoryMiB of extension.json bounds it`
}

function isDetails(thrown: unknown): thrown is ProviderErrorDetails {
  if (thrown instanceof ProviderError) return true
  if (typeof thrown !== 'object' || thrown === null || thrown instanceof Error) return false
  const { kind, message } = thrown as Partial<ProviderErrorDetails>
  return KINDS.some(known => known === kind) && typeof message === 'string'
}

export function messageOf(thrown: unknown): string {
  return (thrown instanceof Error ? String(thrown.message) : String(thrown)).toWellFormed()
}

function describe(thrown: unknown): string {
  return thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown)
}

function isCount(value: unknown, most: number): value is number {
  return typeof value === 'number' && value >= 0 && value <= most
}
