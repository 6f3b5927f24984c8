import type { Attributes } from '@opentelemetry/api'
import type { StopReason, TokenUsage } from '../../contract/events.ts'
import { splitInput } from '../../contract/usage.ts'
import type { AttemptPlace } from '../observer.ts'
import type { RequestFacts } from '../request-facts.ts'
import { toProviderName } from './provider-names.ts'

/** Without what is absent. */
type Sparse = Record<string, Attributes[string] | undefined>

function present(attributes: Sparse): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined))
}

/** What is known before the model has been found, of a reference that need not be one: it may be an alias. */
export function askedAttributes({ model, ...asked }: RequestFacts): Attributes {
  const slash = model?.indexOf('/') ?? -1
  return present({
    'gen_ai.provider.name': slash > 0 ? toProviderName(model!.slice(0, slash)) : undefined,
    'gen_ai.request.model': slash > 0 ? model!.slice(slash + 1) : model,
    'gen_ai.request.max_tokens': asked.maxTokens,
    'gen_ai.request.temperature': asked.temperature,
    'gen_ai.request.top_p': asked.topP,
    'gen_ai.request.seed': asked.seed,
    'gen_ai.request.stop_sequences': asked.stopSequences,
    'gen_ai.request.reasoning.level': asked.reasoningEffort,
    'gen_ai.output.type': asked.isJson ? 'json' : undefined,
  })
}

export function placeAttributes({ provider, model }: AttemptPlace): Attributes {
  return { 'gen_ai.provider.name': toProviderName(provider), 'gen_ai.request.model': model }
}

export function usageAttributes(usage: TokenUsage): Attributes {
  return present({
    // By the conventions, the whole prompt: what was read from the cache and written to it is part of it.
    'gen_ai.usage.input_tokens': splitInput(usage).total,
    'gen_ai.usage.output_tokens': usage.outputTokens,
    'gen_ai.usage.cache_read.input_tokens': usage.cacheReadInputTokens,
    'gen_ai.usage.cache_creation.input_tokens': usage.cacheCreationInputTokens,
    'gen_ai.usage.reasoning.output_tokens': usage.reasoningTokens,
    // The conventions have no name for it.
    'airlock.usage.cost_usd': usage.cost?.total,
  })
}

/** In the conventions' words, where they have one. */
export function toFinishReason(reason: StopReason): string {
  switch (reason) {
    case 'end-turn':
    case 'stop-sequence':
      return 'stop'
    case 'max-tokens':
      return 'length'
    case 'tool-use':
      return 'tool_call'
    case 'content-filter':
      return 'content_filter'
    case 'refusal':
    case 'other':
      return reason
    default:
      return reason satisfies never
  }
}
