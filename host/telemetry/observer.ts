import type { CompletionEvent, TokenUsage } from '../contract/events.ts'
import type { ProviderError } from '../errors.ts'

/** A model about to be asked. */
export interface AttemptPlace {
  extension: string
  /** The provider's reference, as callers write it. */
  provider: string
  /** The model's id, without the provider. */
  model: string
  /** 1 for the first attempt of the whole completion. */
  attempt: number
}

/** A wait before another attempt at the same model. */
export interface Retry extends AttemptPlace {
  /** How long it waits, milliseconds. */
  waitMs: number
  /** What went wrong. */
  error: ProviderError
}

/** Another model of the caller's list takes over. */
export interface Fallback {
  /** Model references. */
  from: string
  to: string
  error: unknown
}

export interface CompletionOutcome {
  usage?: TokenUsage
  /** Absent where the answer is whole. */
  error?: unknown
}

/** Is told what one completion does. What it throws is dropped: watching must not break what is watched. */
export interface CompletionObserver {
  attempt?(place: AttemptPlace): void
  retry?(retry: Retry): void
  fallback?(fallback: Fallback): void
  event?(event: CompletionEvent): void
  /** Once, last. */
  end?(outcome: CompletionOutcome): void
}

/** What one run of a tool does. */
export interface ToolObserver {
  end?(outcome: { isError: boolean; error?: unknown }): void
}

/** Watches what an airlock does. */
export interface Observer {
  completion?(start: { request: unknown }): CompletionObserver | undefined
  tool?(start: { id: string; callId?: string; source: string; parameters: unknown }): ToolObserver | undefined
}
