import type { ModelDefinition } from '../../models.ts'
import { findOpenAiModel, type OpenAiModel } from './openai-models.ts'

/** Assumed of a model of which nobody says it, tokens: what the service's current models have at least. */
const ASSUMED_CONTEXT = 272_000
/** How many tools one request may carry. */
const MAX_TOOLS = 128

/** A model as a provider offers it, with what is known of it. @param known Default: what the table says of this id. */
export function describeOpenAiModel(
  id: string,
  known: OpenAiModel | undefined = findOpenAiModel(id),
): ModelDefinition {
  const rules = known?.rules ?? {}
  return {
    id,
    // A dated id keeps its own name: the list has the other one, too.
    name: known?.id === id ? known.name : id,
    family: known?.family,
    maxTokenCount: known?.maxTokenCount ?? ASSUMED_CONTEXT,
    maxOutputTokens: known?.maxOutputTokens,
    capabilities: {
      supportsImages: rules.images ?? true,
      supportsFiles: rules.files ?? true,
      supportsTools: true,
      supportsThinking: rules.thinking ?? true,
      supportsStructuredOutput: true,
      toolInputFormat: 'json-schema',
      maxTools: MAX_TOOLS,
    },
    pricing: known?.pricing,
  }
}
