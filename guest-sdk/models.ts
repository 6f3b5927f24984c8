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
  maxTools?: number | undefined
}

/** US dollars per million tokens. */
export interface ModelPricing {
  input: number
  output: number
  cacheRead?: number | undefined
  cacheWrite?: number | undefined
}

/** One model that a provider offers. */
export interface ModelDefinition {
  id: string
  /** Default: the id. */
  name?: string | undefined
  /** What versions of one model have in common, e.g. "claude-sonnet". */
  family?: string | undefined
  /** Input context window, tokens. */
  maxTokenCount: number
  /** Longest answer, tokens. */
  maxOutputTokens?: number | undefined
  /**
   * Default: nothing but streaming. `supportsTools` brings the tool choices and parallel calls with it
   * unless they are named; `toolInputFormat` is `json-schema` unless it is named.
   */
  capabilities?: Partial<ModelCapabilities> | undefined
  pricing?: ModelPricing | undefined
  /** Default: false. */
  isDefault?: boolean | undefined
  /** The default where a quick, cheap answer is wanted. Default: false. */
  isDefaultFast?: boolean | undefined
}
