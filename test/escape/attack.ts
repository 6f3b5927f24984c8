import type { AirlockError } from '../../host/errors.ts'
import type { Stage } from './stage.ts'

/** One hostile extension: what it tries, what it is made of, and how to see that it failed. */
export interface Attack {
  /** Names its provider, too. */
  id: string
  /** For the report: what it tries. */
  tries: string
  /**
   * The exports that it overrides, as a JavaScript object literal; all others do as little as they may. Beside them
   * `request`, `framing`, `decode`, `finish` and `reject` of its completions. See `build-hostile.ts` for what is at hand.
   */
  guest?: string
  /** A component made by hand, where JavaScript cannot say it. */
  component?(): Promise<Uint8Array>
  /** Beside the defaults: no network, no environment, `credentials: use`. */
  permissions?(canary: { url: string; port: number }): Record<string, unknown>
  /** More providers of the extension, whose service the user set to be the canary. */
  providers?: string[]
  /** Beside the component, e.g. its source map. */
  files?: Record<string, string>
  /** Runs it. Returns what stopped it, for the report; throws where it got out. */
  run(stage: Stage): Promise<string>
}

/** What every attack must end in: an error of ours, with a code that a program can tell apart. */
export function stoppedBy(error: unknown): string {
  const { code, name, message } = error as AirlockError
  if (typeof code !== 'string' || code === '')
    throw new Error(`it ended in an error without a code: ${String(error)}`)
  return `${name} ${code}: ${message}`
}
