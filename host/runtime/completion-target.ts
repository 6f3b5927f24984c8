import type { ModelInfo, ToolInputFormat } from '../contract/models.ts'
import type { ExtensionHost } from './extension-host.ts'

/** A model that can be asked, and what is known of it. */
export interface CompletionTarget {
  host: ExtensionHost
  /** The provider's id in its extension. */
  provider: string
  /** The model's id. */
  model: string
  /** The provider as callers write it. */
  providerReference: string
  /** `<provider>/<model id>`. */
  reference: string
  /** What its provider says of the model; asked where it has not been. Undefined where it says nothing. */
  info(): Promise<ModelInfo | undefined>
  /** What is known of the model without asking. */
  knownInfo(): ModelInfo | undefined
  /** How the model wants schemas; `json-schema` where its provider does not say. */
  toolInputFormat(): Promise<ToolInputFormat>
  /** Models of this provider that are called much the same, best first. Asks it where it has not listed them yet. */
  nearestModels(signal: AbortSignal): Promise<string[]>
}

/** What is known of the model, or becomes known in `ms` milliseconds. */
export async function infoWithin(target: CompletionTarget, ms: number): Promise<ModelInfo | undefined> {
  const known = target.knownInfo()
  if (known) return known
  const { promise: late, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => resolve(undefined), ms)
  return Promise.race([target.info(), late]).finally(() => clearTimeout(timer))
}
