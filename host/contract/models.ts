export interface ProviderInfo {
  /** What callers write before the slash: `<provider>`, or `<extension>:<provider>` where two extensions have one of that name. */
  reference: string
  id: string
  name: string
  extension: string
  /** Absolute path of an SVG file. */
  icon?: string
}

/** How a model wants its tools' input schemas. */
export type ToolInputFormat = 'json-schema' | 'json-schema-subset' | 'simplified'

export interface ModelCapabilities {
  supportsImages: boolean
  /** Documents, e.g. PDF. */
  supportsFiles: boolean
  supportsTools: boolean
  supportsToolChoiceAuto: boolean
  supportsToolChoiceAny: boolean
  supportsToolChoiceNone: boolean
  /** A single named tool can be forced. */
  supportsToolChoiceTool: boolean
  supportsParallelToolCalls: boolean
  supportsThinking: boolean
  supportsStructuredOutput: boolean
  /** False where the answer arrives in one piece. */
  supportsStreaming: boolean
  toolInputFormat: ToolInputFormat
  /** The most tools that one request may carry, where the service sets a limit. */
  maxTools?: number
}

/** US dollars per million tokens. */
export interface ModelPricing {
  input: number
  output: number
  cacheRead?: number
  cacheWrite?: number
}

/** How a model's service caches prompts. */
export interface CacheConfiguration {
  /** The most messages of one request that may be cache anchors. */
  maxCacheAnchors: number
  /** Definitions of tools are cached with the messages. */
  shouldCacheToolDefinitions: boolean
  /** Tokens below which the service caches nothing. */
  minTotalTokenCount: number
}

export interface ModelInfo {
  /** `<provider>/<model id>`: what a request's `model` takes. */
  reference: string
  id: string
  name: string
  provider: string
  extension: string
  /** What versions of one model have in common, e.g. "claude-sonnet". */
  family?: string
  /** Input context window, tokens. */
  maxTokenCount: number
  /** Longest answer, tokens. */
  maxOutputTokens?: number
  capabilities: ModelCapabilities
  pricing?: ModelPricing
  isDefault: boolean
  /** The default where a quick, cheap answer is wanted. */
  isDefaultFast: boolean
}
