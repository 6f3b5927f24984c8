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

/** Runs the work that is watched, so that what it begins can know what it belongs to. */
type Within = <Value>(work: () => Value) => Value

/** Is told what one completion does. What it throws is dropped: watching must not break what is watched. */
export interface CompletionObserver {
  within?: Within
  attempt?(place: AttemptPlace): void
  retry?(retry: Retry): void
  fallback?(fallback: Fallback): void
  event?(event: CompletionEvent): void
  /** Once, last, and before the caller has the end. */
  end?(outcome: CompletionOutcome): void
}

/** Is told what one run does, besides its completions and calls. */
export type RunObserver = Pick<CompletionObserver, 'within' | 'end'>

export interface ToolOutcome {
  isError: boolean
  /** It was not run, and why. */
  withheld?: 'denied' | 'skipped'
  /** What the model is told, as text. */
  result?: { toString(): string }
  /** What was thrown. */
  error?: unknown
}

/** What one run of a tool does. */
export interface ToolObserver {
  within?: Within
  end?(outcome: ToolOutcome): void
}

/** As the caller handed it over: nothing of it is checked yet. */
export interface RequestStart {
  request: unknown
}

export interface ToolStart {
  id: string
  /** The id that the model gave its call. */
  callId?: string
  source: string
  parameters: unknown
}

/** Watches what an airlock does. What gives `undefined` does not want to know of this one. */
export interface Observer {
  completion?(start: RequestStart): CompletionObserver | undefined
  run?(start: RequestStart): RunObserver | undefined
  tool?(start: ToolStart): ToolObserver | undefined
}
