// What the two sides of the sandbox say to each other. It says nothing of threads: the same messages
// travel to a worker thread and to a child process.
import type { ProviderSettings } from '../contract/generated/interfaces/airlock-llm-llm-provider.js'
import type {
  CompletionRequest,
  Framing,
  HttpRequest,
  HttpResponseWithStatus,
} from '../contract/generated/interfaces/airlock-llm-provider.js'
import type { LogLevel } from '../contract/generated/interfaces/airlock-llm-system.js'
import type { TransportErrorCode } from '../errors.ts'

/** Numbers from counters of the host: which call, which instance, which completion. */
export type CallId = number
export type InstanceId = number
export type CompletionId = number

/** How the sandbox is set up; sent once, first. */
export interface SandboxSetup {
  extension: string
  /** The folder of the transpiled component, and the name of its entry module. */
  folder: string
  entry: string
  /** What the component imports, without versions. */
  imports: readonly string[]
  /** Which interface to call: `provider` or `tools`. */
  world: 'provider' | 'tools'
  limits: SandboxLimits
  facts: GuestFacts
}

export interface SandboxLimits {
  /** Computing time of one call, milliseconds; a suspended guest does not count. */
  computeMs: number
  /** Longest frame handed to the guest, bytes. */
  frameBytes: number
  /** Events that one call may return. */
  eventsPerCall: number
  /** Size of one event, UTF-16 units. */
  eventUnits: number
  logLinesPerSecond: number
}

/** What the guest may ask for without waiting: so that it never has to be suspended for it. */
export interface GuestFacts {
  /** A placeholder by provider id; the secret itself only under `credentials: read`. */
  credentials: Record<string, string>
  env: Record<string, string>
  settings: Record<string, ProviderSettings>
}

export type ToSandbox =
  | { type: 'setup'; setup: SandboxSetup }
  | { type: 'facts'; facts: GuestFacts }
  /** In the order in which they are to be run. */
  | { type: 'calls'; calls: GuestCall[] }
  | { type: 'answer'; wait: number; answer: Answer }

export type GuestCall =
  | { op: 'export'; call: CallId; instance: InstanceId; name: string; args: unknown[] }
  | {
      op: 'start'
      call: CallId
      instance: InstanceId
      completion: CompletionId
      provider: string
      model: string
      request: CompletionRequest
    }
  /** Bytes of the body; `end` after the last. */
  | { op: 'feed'; call: CallId; completion: CompletionId; bytes: Uint8Array | undefined; end: boolean }
  | { op: 'reject'; call: CallId; completion: CompletionId; response: HttpResponseWithStatus }
  /** The caller is done with it. The reply says that the guest's destructor has ended. */
  | { op: 'drop'; call: CallId; completion: CompletionId }
  | { op: 'drop-instance'; instance: InstanceId }

/** `cpuMs`: computing time of the sandbox so far, so that the host can tell computing from waiting for a busy machine. */
export type FromSandbox =
  | { type: 'ready'; cpuMs: number }
  | { type: 'failed'; failure: GuestFailure }
  | { type: 'replies'; replies: Reply[]; cpuMs: number }
  /** A guest waits for the host: its instance is suspended until the answer comes. */
  | { type: 'wait'; wait: number; instance: InstanceId; name: string; args: unknown[]; cpuMs: number }
  /** The guest let go of a resource of the host's. */
  | { type: 'release'; name: 'http-response-stream'; handle: number }
  | { type: 'log'; lines: LogLine[] }

export interface LogLine {
  level: LogLevel
  message: string
}

/** `value` is what the guest returned, as it came: unchecked. */
export type Reply = { call: CallId; value: unknown } | { call: CallId; failure: GuestFailure }

export type GuestFailure =
  /** The guest returned the error of its `result`: a provider-error record, unchecked. */
  | { kind: 'returned'; error: unknown }
  /** The guest trapped; its instance is gone and with it every completion in it. */
  | { kind: 'trapped'; message: string; stack: string; instance: InstanceId }
  /** The guest went over a limit; the sandbox should be ended. */
  | { kind: 'over-limit'; message: string }
  /** The body could not be cut into frames. */
  | { kind: 'framing'; code: TransportErrorCode; message: string }
  /** The component could not be loaded or does not fit the contract. */
  | { kind: 'unusable'; message: string }

/** What `start` replies. */
export interface StartReply {
  request: HttpRequest | undefined
  framing: Framing
}

/** What `feed` replies: guest events as the contract has them, `{ tag, val }`, and what went wrong after them. */
export interface FeedReply {
  events: unknown[]
  failure?: GuestFailure
}

/** What the host says to a waiting guest: a value, or the error string of the import's `result`. */
export type Answer = { ok: true; value: unknown } | { ok: false; error: string }
