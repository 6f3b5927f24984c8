import type { ModelInfo } from '../../contract/models.ts'
import { UnknownNameError } from '../../errors.ts'
import type { Airlock } from '../../runtime/airlock.ts'
import { MODELS_AGE_MS } from '../../runtime/catalogue.ts'
import type { Completer } from '../../runtime/completer.ts'
import type { ModelList } from '../../runtime/model-lists.ts'
import { createChatModel, type LanguageModelChat } from './chat-model.ts'
import { createEmitter, type Event } from './event.ts'
import type { Keepsakes } from './keepsakes.ts'

/** All that is given must be the same, letter by letter. */
export interface LanguageModelChatSelector {
  vendor?: string
  family?: string
  version?: string
  /** `<provider>/<model id>`, or the id at the provider. */
  id?: string
}

export interface ChatModels extends Disposable {
  /** None where none fits, or where no provider could say. */
  select(selector?: LanguageModelChatSelector): Promise<LanguageModelChat[]>
  /** Models came or went. */
  readonly onDidChange: Event<void>
}

export interface ChatModelsOptions {
  keepsakes: Keepsakes
  /** Told of a provider that could not say which models it has. */
  onFailure(failure: ModelList['failures'][number]): void
}

export function createChatModels(
  airlock: Completer & Pick<Airlock, 'countTokens' | 'models' | 'onModelsChange'>,
  { keepsakes, onFailure }: ChatModelsOptions,
): ChatModels {
  const changes = createEmitter<void>()
  /** The ids that were listed last, by provider. */
  const listed = new Map<string, string>()

  async function list(vendor: string | undefined, maxAgeMs: number): Promise<ModelInfo[]> {
    const filter = vendor === undefined ? {} : { provider: vendor }
    const { models, failures } = await airlock.models(filter, { maxAgeMs }).catch((error: unknown) => {
      if (error instanceof UnknownNameError) return { models: [], failures: [] }
      throw error
    })
    failures.forEach(onFailure)
    const byVendor = Map.groupBy(models, ({ provider }) => provider)
    const asked = vendor === undefined ? new Set([...byVendor.keys(), ...listed.keys()]) : [vendor]
    // What a provider had before it failed, it may have again.
    const answered = [...asked].filter(one => failures.every(({ provider }) => provider !== one))
    const changed = answered.filter(one => note(one, byVendor.get(one) ?? []))
    // Where nothing came or went, who selects again in its listener would never stop.
    if (changed.length > 0) changes.fire()
    return models
  }

  /** Whether these are others than were listed last. */
  function note(vendor: string, models: readonly ModelInfo[]): boolean {
    const before = listed.get(vendor)
    const now = JSON.stringify(models.map(({ id }) => id).sort())
    listed.set(vendor, now)
    return before !== undefined && before !== now
  }

  /** One after the other: an earlier list must not come in behind a later one. */
  let updating: Promise<unknown> = Promise.resolve()
  function update(providers: readonly string[]) {
    updating = updating.then(() => {
      // One that nobody has asked for yet had nothing that anybody knows of.
      for (const provider of providers) if (!listed.has(provider)) listed.set(provider, '[]')
      return Promise.allSettled(providers.map(provider => list(provider, 0)))
    })
  }

  const watching = airlock.onModelsChange(({ providers }) => {
    if (changes.hasListeners) update(providers)
  })

  return {
    async select({ vendor, family, version, id } = {}) {
      const models = (await list(vendor, MODELS_AGE_MS)).map(model =>
        createChatModel(airlock, model, keepsakes),
      )
      return models.filter(
        model =>
          (vendor === undefined || model.vendor === vendor) &&
          (family === undefined || model.family === family) &&
          (version === undefined || model.version === version) &&
          (id === undefined || model.id === id || model.version === id),
      )
    },
    onDidChange: changes.event,
    [Symbol.dispose]() {
      watching[Symbol.dispose]()
      changes.clear()
    },
  }
}
