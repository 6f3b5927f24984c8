import { InvalidOptionError } from '../errors.ts'
import type { SupervisorLimits } from './supervisor.ts'

export interface ExtensionLimits extends SupervisorLimits {
  /** Events of one answer. */
  answerEvents: number
  /** Text of all events of one answer, UTF-16 units. */
  answerUnits: number
}

/** Bounds on what one extension may use up. Each can be set in `settings.json` under `limits`. */
export const DEFAULT_SANDBOX_LIMITS: Readonly<ExtensionLimits> = {
  // The slowest honest call measured, encoding a request of 4 MB in QuickJS, takes 0.4 s.
  computeMs: 2_000,
  // A cold start takes 0.2 s; ten of them at once on two busy cores take 3.
  startMs: 15_000,
  // Base64 images of 10 MB come as one frame.
  frameBytes: 32 * 1024 * 1024,
  // The largest group of frames is 256 KiB, which holds 3,000 events of a service. More stalls the main thread.
  eventsPerCall: 32_768,
  eventUnits: 32 * 1024 * 1024,
  logLinesPerSecond: 100,
  // The longest answers of any model have 128,000 tokens; an event holds one or more. All are kept for `partial`.
  answerEvents: 500_000,
  // Six generated images of 10 MB.
  answerUnits: 64 * 1024 * 1024,
  // 2,000 open completions take 130 MB of memory.
  openCompletions: 4_096,
  pendingRequests: 64,
  // Each beyond the first exists only while another waits for the host: 0.7 MB and 2 ms.
  instances: 16,
  deaths: 5,
}

/** Fills in the defaults. @throws {InvalidOptionError} for a limit that is not a positive integer. */
export function resolveSandboxLimits(limits: Partial<Record<string, number>> = {}): ExtensionLimits {
  const resolved = { ...DEFAULT_SANDBOX_LIMITS }
  for (const name of Object.keys(DEFAULT_SANDBOX_LIMITS) as (keyof SupervisorLimits)[]) {
    const value = limits[name]
    if (value === undefined) continue
    if (!Number.isSafeInteger(value) || value < 1) {
      throw new InvalidOptionError(
        `Cannot use limits.${name}: it must be a positive integer: current value is ${value}`,
      )
    }
    resolved[name] = value
  }
  return resolved
}
