import type { OllamaRules } from '@airlock/guest-sdk/dialects/ollama-chat'

/** What the server does not tell of a model. */
export interface KnownModel {
  id: string
  rules: Partial<OllamaRules>
}

const LEVELS: Partial<OllamaRules> = { thinking: 'levels' }

/** Models that take a level of thinking: others refuse one. https://docs.ollama.com/capabilities/thinking */
export const KNOWN_MODELS: readonly KnownModel[] = [
  { id: 'gpt-oss', rules: LEVELS },
  { id: 'gpt-oss:latest', rules: LEVELS },
  { id: 'gpt-oss:20b', rules: LEVELS },
  { id: 'gpt-oss:120b', rules: LEVELS },
  { id: 'gpt-oss:20b-cloud', rules: LEVELS },
  { id: 'gpt-oss:120b-cloud', rules: LEVELS },
]

export function findKnownModel(id: string): KnownModel | undefined {
  return KNOWN_MODELS.find(model => model.id === id)
}
