import type { CredentialStore } from '../credentials/store.ts'
import { InvalidOptionError } from '../errors.ts'
import { overrideSettings, type Settings } from '../home/settings.ts'
import { recordTo } from '../http/tape/record.ts'
import { replayFrom } from '../http/tape/replay.ts'
import type { OpenTape } from '../http/tape/tape.ts'
import type { OpenChannel } from '../sandbox/channel.ts'
import { openProcess } from '../sandbox/process-channel.ts'
import { openThread } from '../sandbox/thread-channel.ts'
import type { AirlockEvent } from '../telemetry/airlock-event.ts'
import type { OpenTelemetryOptions } from '../telemetry/open-telemetry.ts'
import type { ConfirmTool } from '../tools/confirmation.ts'
import type { ToolPolicy } from '../tools/policy.ts'
import { type DangerousReplacements, dangerouslyReplace } from './dangerous.ts'
import type { Log } from './log.ts'
import type { RateLimit } from './retry/rate-limiter.ts'
import type { RetryOptions } from './retry/retry-policy.ts'

export interface AirlockOptions {
  /** One folder for everything. Default: `AIRLOCK_HOME`, else the platform's config, data and cache folders. */
  home?: string
  /** Environment variables. Default: `process.env`. */
  env?: NodeJS.ProcessEnv
  /** Default: what `settings.json` says; what changes there of providers, variables, aliases and defaults counts at once. */
  settings?: Partial<Settings>
  /** Where secrets are kept. Default: one encrypted file in the home's data folder. */
  credentials?: CredentialStore
  /** Told what the user should know about how secrets are kept, in whole sentences. Default: a warning in the log. */
  notice?: (sentence: string) => void
  /** What stands between an extension and this machine. Default: the settings' choice, else a thread. */
  isolation?: 'thread' | 'process'
  /** Bounds on what one extension may use up, over those of settings.json. */
  limits?: Settings['limits']
  /**
   * Asks the user whether a tool may run. Default: nobody is asked, and what needs an answer is denied: every tool but
   * those of the program itself that are `readOnly`.
   */
  confirmTool?: ConfirmTool
  /** Which tools run without asking, and which never. The user's `tools` in settings.json can only be stricter. */
  toolPolicy?: ToolPolicy
  /**
   * Keeps each exchange with a service in a file below this folder, without secrets, to be replayed: one folder for
   * each extension.
   */
  record?: string
  /**
   * Answers from such a folder, and asks no network: for tests of an app. Needs no key. What was not recorded fails
   * with the request that is nearest to it. A retry waits 10 ms at most, whatever the service asked for.
   */
  replay?: string
  /** How often a completion is tried again while nothing of its answer was delivered; `false` for never. */
  retry?: RetryOptions | false
  /** Bounds on how much a provider is asked, by its reference, over those of settings.json. Default: none. */
  rateLimits?: Readonly<Record<string, RateLimit>>
  /** A function, or a logger such as pino's. A completion is a line at `debug`. Default: lines are dropped. */
  log?: Log
  /**
   * Told at once of what goes on, never of what is said. What it throws is dropped, and logged once as a warning.
   * Default: nobody is told.
   */
  onEvent?: (event: AirlockEvent) => void
  /**
   * How OpenTelemetry is told, where the program has registered an SDK with `@opentelemetry/api`; `false` for not at
   * all. Default: spans and metrics, without what is said.
   */
  telemetry?: OpenTelemetryOptions | false
  [dangerouslyReplace]?: DangerousReplacements
}

/** Every name there is, for refusing the others. */
export const KNOWN_OPTIONS: Readonly<Record<Exclude<keyof AirlockOptions, symbol>, true>> = {
  home: true,
  env: true,
  settings: true,
  credentials: true,
  notice: true,
  isolation: true,
  limits: true,
  confirmTool: true,
  toolPolicy: true,
  retry: true,
  rateLimits: true,
  record: true,
  replay: true,
  log: true,
  onEvent: true,
  telemetry: true,
}

/** What the program says goes before what the file says. */
export function withOwnSettings(written: Settings, { settings, limits }: AirlockOptions): Settings {
  return overrideSettings(written, {
    ...settings,
    limits: { ...written.limits, ...settings?.limits, ...limits },
  })
}

/** Records, replays, or neither. */
export function openTape({ record, replay }: AirlockOptions): OpenTape | undefined {
  if (record !== undefined && replay !== undefined)
    throw new InvalidOptionError('Cannot record and replay at the same time: give one folder, in one of them')
  if (record !== undefined) return recordTo(record)
  return replay === undefined ? undefined : replayFrom(replay)
}

/** What stands between an extension and this machine. */
export function channelFor(isolation: string, cacheFolder: string): OpenChannel {
  if (isolation === 'thread') return openThread(cacheFolder)
  if (isolation === 'process') return openProcess(cacheFolder)
  throw new InvalidOptionError(`Cannot use isolation "${isolation}": it must be "thread" or "process"`)
}
