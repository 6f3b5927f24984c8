/** What may be told of a request: how it asks, and nothing of what it says. */
export interface RequestFacts {
  /** As the caller named it, the first one of a list. */
  model?: string
  maxTokens?: number
  temperature?: number
  topP?: number
  seed?: number
  stopSequences?: string[]
  reasoningEffort?: string
  /** JSON by a schema is asked for. */
  isJson: boolean
}

const NUMBERS = ['maxTokens', 'temperature', 'topP', 'seed'] as const

/** Of a request that nobody has checked yet: what does not fit is left out. */
export function readRequestFacts(request: unknown): RequestFacts {
  const facts: RequestFacts = { isJson: false }
  if (typeof request !== 'object' || request === null) return facts
  const fields: Record<string, unknown> = { ...request }
  const model: unknown = Array.isArray(fields.model) ? fields.model[0] : fields.model
  if (typeof model === 'string') facts.model = model
  for (const name of NUMBERS) {
    const value = fields[name]
    if (typeof value === 'number') facts[name] = value
  }
  const { stopSequences, reasoningEffort, responseFormat } = fields
  if (Array.isArray(stopSequences))
    facts.stopSequences = stopSequences.filter(each => typeof each === 'string')
  if (typeof reasoningEffort === 'string') facts.reasoningEffort = reasoningEffort
  facts.isJson = responseFormat !== undefined
  return facts
}
