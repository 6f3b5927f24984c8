import type { ModelInfo } from '../contract/models.ts'
import { raced } from '../contract/raced.ts'
import { ProviderError } from '../errors.ts'

/** What the providers that were asked have, and what failed. */
export interface ModelList {
  models: ModelInfo[]
  /** Providers that could not say; those that could are in `models`. */
  failures: { provider: string; error: Error }[]
}

/** The models of each provider, as it listed them last. */
export interface ModelLists {
  /** A list that is at most `maxAgeMs` old. All who ask at the same time wait for one listing. */
  list(
    provider: string,
    options: { maxAgeMs: number; signal?: AbortSignal | undefined },
  ): Promise<ModelInfo[]>
  /** What is known without asking; of a provider that was never listed, nothing. */
  known(provider: string): readonly ModelInfo[] | undefined
  /** What it listed counts no more. */
  forget(provider: string): void
  /** Every model that is known. */
  all(): ModelInfo[]
}

export interface ModelListsOptions {
  /** Asks the provider. */
  ask(provider: string, signal: AbortSignal): Promise<ModelInfo[]>
  /** The list is not what it was. Not called for the first. */
  changed(provider: string): void
  /** Ends what is asked. */
  signal: AbortSignal
}

// A provider that does not answer holds up nobody who asked for all.
const LISTING_MS = 30_000
// A provider that could not say is not asked again for every completion.
const FAILURE_AGE_MS = 60_000

interface Entry {
  listing?: Promise<ModelInfo[]> | undefined
  models?: ModelInfo[]
  at: number
  failure?: { error: unknown; at: number } | undefined
}

export function createModelLists({ ask, changed, signal: life }: ModelListsOptions): ModelLists {
  const entries = new Map<string, Entry>()

  async function refresh(provider: string, entry: Entry): Promise<ModelInfo[]> {
    const timeout = AbortSignal.timeout(LISTING_MS)
    try {
      const models = await ask(provider, AbortSignal.any([life, timeout]))
      const isNew = entry.models !== undefined && JSON.stringify(entry.models) !== JSON.stringify(models)
      entry.models = models
      entry.at = Date.now()
      entry.failure = undefined
      if (isNew) changed(provider)
      return models
    } catch (cause) {
      const error = timeout.aborted && !life.aborted ? tookTooLong(provider, cause) : cause
      entry.failure = { error, at: Date.now() }
      throw error
    } finally {
      entry.listing = undefined
    }
  }

  return {
    async list(provider, { maxAgeMs, signal }) {
      signal?.throwIfAborted()
      const entry = entries.get(provider) ?? { at: 0 }
      entries.set(provider, entry)
      if (entry.models && Date.now() - entry.at < maxAgeMs) return entry.models
      const { failure } = entry
      if (failure && Date.now() - failure.at < Math.min(maxAgeMs, FAILURE_AGE_MS)) throw failure.error
      entry.listing ??= refresh(provider, entry)
      // One who leaves does not end it for the others.
      return signal ? raced(entry.listing, signal) : entry.listing
    },
    forget: provider => void entries.delete(provider),
    known: provider => entries.get(provider)?.models,
    all: () => [...entries.values()].flatMap(({ models = [] }) => models),
  }
}

function tookTooLong(provider: string, cause: unknown): ProviderError {
  const message = `The provider did not list its models within ${LISTING_MS / 1_000} s`
  return new ProviderError({ kind: 'network', providerCode: 'timed-out', message, provider, cause })
}
