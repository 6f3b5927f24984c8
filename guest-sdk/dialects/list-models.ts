import type { Context, CustomModel } from '../context.ts'
import type { ModelDefinition } from '../models.ts'
import { ProviderError } from '../provider-error.ts'

// A list of more pages than this is one that never ends.
const MAX_PAGES = 50

/** One page of a service's list, and what to ask for the next one with. */
export interface Page<Model> {
  models: Model[]
  next?: string | undefined
}

/** All pages of a list. `read` asks for one; the mark is that of the page before. */
export function readPages<Model>(read: (mark: string | undefined) => Page<Model>): Model[] {
  const models: Model[] = []
  let mark: string | undefined
  for (let page = 0; page < MAX_PAGES; page++) {
    const { models: more, next } = read(mark)
    models.push(...more)
    if (next === undefined || next === mark) break
    mark = next
  }
  return models
}

/** What the service lists, or what is known where it lists nothing. That a key is not good is no reason to go on. */
export function listedOrKnown<Model>(
  context: Context,
  service: string,
  ask: () => Model[],
  known: Model[],
): Model[] {
  try {
    return ask()
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind === 'authentication' || error.kind === 'permission')
      throw error
    context.log.warn(
      `${service} lists no models, so only those known to the extension are offered: ${error.message}`,
    )
    return known
  }
}

/** A model as the user named it in the settings, over what is known of it. */
export function withSettings(
  model: ModelDefinition,
  { displayName, maxTokens, maxOutputTokens }: CustomModel,
): ModelDefinition {
  return {
    ...model,
    maxTokenCount: maxTokens,
    ...(displayName !== undefined && { name: displayName }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
  }
}
