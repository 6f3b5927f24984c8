import type { CompletionEvent } from '../contract/events.ts'

/** Where the events of an attempt go. */
export interface AttemptSink {
  push(event: CompletionEvent): void
  /** Nobody wants more. */
  readonly ended: boolean
  /** The reader lags: the body should wait. */
  readonly full: boolean
  /** Waits for what has to be known before the usage is told. */
  beforeUsage(): Promise<void>
}
