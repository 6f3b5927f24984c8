/**
 * The provider contract of the AI SDK as far as this adapter speaks it, in its three living versions. Written out
 * here, and not imported, so that an app compiles whichever version of the SDK it has.
 */
export type SpecificationVersion = 'v2' | 'v3' | 'v4'

export type JsonValue = null | string | number | boolean | JsonObject | JsonValue[]
export type JsonObject = { [key: string]: JsonValue }
/** By provider's name: what goes out with a part comes back as `providerOptions` of the part that echoes it. */
export type ProviderMetadata = Record<string, JsonObject>
export type ProviderOptions = Readonly<Record<string, Readonly<Record<string, unknown>>>>

// --- what comes in: whatever any of the versions may say ---

export interface CallOptions {
  prompt: readonly PromptMessage[]
  maxOutputTokens?: number | undefined
  temperature?: number | undefined
  stopSequences?: readonly string[] | undefined
  topP?: number | undefined
  topK?: number | undefined
  presencePenalty?: number | undefined
  frequencyPenalty?: number | undefined
  responseFormat?: ResponseFormat | undefined
  seed?: number | undefined
  tools?: readonly CallTool[] | undefined
  toolChoice?: CallToolChoice | undefined
  includeRawChunks?: boolean | undefined
  abortSignal?: AbortSignal | undefined
  headers?: Readonly<Record<string, string | undefined>> | undefined
  /** Version 7 of the SDK hands it to models of every version. */
  reasoning?: ReasoningChoice | undefined
  providerOptions?: ProviderOptions | undefined
}

export type ReasoningChoice =
  | 'provider-default'
  | 'none'
  | 'minimal'
  | 'low'
  | 'medium'
  | 'high'
  | 'xhigh'
  | 'max'

export type ResponseFormat =
  | { type: 'text' }
  | {
      type: 'json'
      schema?: object | undefined
      name?: string | undefined
      description?: string | undefined
    }

export type CallToolChoice =
  | { type: 'auto' }
  | { type: 'none' }
  | { type: 'required' }
  | { type: 'tool'; toolName: string }

export type CallTool = FunctionTool | ProviderTool

export interface FunctionTool {
  type: 'function'
  name: string
  description?: string | undefined
  inputSchema: object
  inputExamples?: readonly unknown[] | undefined
  strict?: boolean | undefined
}

export interface ProviderTool {
  type: 'provider' | 'provider-defined'
  id: `${string}.${string}`
  name: string
  args: Record<string, unknown>
}

export interface WithOptions {
  providerOptions?: ProviderOptions | undefined
}

export type PromptMessage = WithOptions &
  (
    | { role: 'system'; content: string }
    | { role: 'user' | 'assistant' | 'tool'; content: readonly PromptPart[] }
  )

export type PromptPart = WithOptions &
  (
    | { type: 'text'; text: string }
    | { type: 'reasoning'; text: string }
    | FilePart
    | { type: 'reasoning-file'; mediaType: string }
    | { type: 'custom'; kind: string }
    | ToolCallPart
    | ToolResultPart
    | { type: 'tool-approval-response'; approvalId: string }
  )

export interface FilePart {
  type: 'file'
  data: FileData
  /** May be the first half alone: `image`. */
  mediaType: string
  filename?: string | undefined
}

export interface ToolCallPart {
  type: 'tool-call'
  toolCallId: string
  toolName: string
  input: unknown
  providerExecuted?: boolean | undefined
}

export interface ToolResultPart {
  type: 'tool-result'
  toolCallId: string
  toolName: string
  output: ToolOutput
}

/** Bare in versions 2 and 3, tagged in version 4. */
export type FileData =
  | Uint8Array
  | string
  | URL
  | { type: 'data'; data: Uint8Array | string }
  | { type: 'url'; url: URL; originalUrl?: string | undefined }
  | { type: 'reference'; reference: unknown }
  | { type: 'text'; text: string }

export type ToolOutput =
  | { type: 'text' | 'error-text'; value: string }
  | { type: 'json' | 'error-json'; value: unknown }
  | { type: 'execution-denied'; reason?: string | undefined }
  | { type: 'content'; value: readonly ToolOutputPart[] }

/** Apps' own parts reach a model as they wrote them, in the words of whichever version they were written for. */
export type ToolOutputPart =
  | { type: 'text'; text: string }
  | { type: 'file'; data: FileData; mediaType: string; filename?: string | undefined }
  | {
      type: 'media' | 'image-data' | 'file-data'
      data: string
      mediaType: string
      filename?: string | undefined
    }
  | { type: 'image-url' | 'file-url'; url: string; mediaType?: string | undefined }
  | { type: 'file-id' | 'image-file-id'; fileId: unknown }
  | { type: 'custom' }

// --- what goes out: exactly what each version takes ---

/** Where the versions differ. */
export interface Differences {
  v2: { finishReason: FinishReasonV2; usage: FlatUsage; warning: WarningV2; file: BareFile; custom: never }
  v3: { finishReason: FinishReasonV3; usage: NestedUsage; warning: WarningV3; file: BareFile; custom: never }
  v4: {
    finishReason: FinishReasonV4
    usage: NestedUsage
    warning: WarningV3
    file: TaggedFile
    custom: Custom
  }
}

type UnifiedV2 = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other'
export type FinishReasonV2 = UnifiedV2
export interface FinishReasonV3 {
  unified: UnifiedV2
  raw: string | undefined
}
export interface FinishReasonV4 {
  unified: UnifiedV2 | 'interrupted'
  raw: string | undefined
}

export interface FlatUsage {
  inputTokens: number | undefined
  outputTokens: number | undefined
  totalTokens: number | undefined
  reasoningTokens?: number
  cachedInputTokens?: number
}

export interface NestedUsage {
  inputTokens: {
    total: number | undefined
    noCache: number | undefined
    cacheRead: number | undefined
    cacheWrite: number | undefined
  }
  outputTokens: { total: number | undefined; text: number | undefined; reasoning: number | undefined }
  raw?: JsonObject
}

export type WarningV2 =
  | { type: 'unsupported-setting'; setting: string; details?: string }
  | { type: 'unsupported-tool'; tool: ProviderTool & { type: 'provider-defined' }; details?: string }
  | { type: 'other'; message: string }

export type WarningV3 =
  | { type: 'unsupported' | 'compatibility'; feature: string; details?: string }
  | { type: 'other'; message: string }

export interface WithMetadata {
  providerMetadata?: ProviderMetadata
}

export interface BareFile {
  type: 'file'
  mediaType: string
  /** Base64. */
  data: string
}

export interface TaggedFile {
  type: 'file'
  mediaType: string
  data: { type: 'data'; data: string } | { type: 'url'; url: URL }
}

export interface Custom extends WithMetadata {
  type: 'custom'
  kind: `${string}.${string}`
}

export interface ToolCall extends WithMetadata {
  type: 'tool-call'
  toolCallId: string
  toolName: string
  /** JSON text, valid or not. */
  input: string
}

export type Source = WithMetadata & { type: 'source'; id: string } & (
    | { sourceType: 'url'; url: string; title?: string }
    | { sourceType: 'document'; mediaType: string; title: string }
  )

export interface ResponseMetadata {
  id?: string
  timestamp?: Date
  modelId?: string
}

export type StreamPart<Version extends SpecificationVersion> =
  | { type: 'stream-start'; warnings: Differences[Version]['warning'][] }
  | ({ type: 'response-metadata' } & ResponseMetadata)
  | ({ type: 'text-start' | 'text-end' | 'reasoning-start' | 'reasoning-end'; id: string } & WithMetadata)
  | { type: 'text-delta' | 'reasoning-delta' | 'tool-input-delta'; id: string; delta: string }
  | { type: 'tool-input-start'; id: string; toolName: string }
  | { type: 'tool-input-end'; id: string }
  | ToolCall
  | Source
  | Differences[Version]['file']
  | Differences[Version]['custom']
  | { type: 'raw'; rawValue: unknown }
  | { type: 'error'; error: unknown }
  | Finish<Version>

export interface Finish<Version extends SpecificationVersion> extends WithMetadata {
  type: 'finish'
  usage: Differences[Version]['usage']
  finishReason: Differences[Version]['finishReason']
}

export type Content<Version extends SpecificationVersion> =
  | ({ type: 'text' | 'reasoning'; text: string } & WithMetadata)
  | ToolCall
  | Source
  | Differences[Version]['file']
  | Differences[Version]['custom']

export interface GenerateResult<Version extends SpecificationVersion>
  extends Omit<Finish<Version>, 'type'>,
    WithMetadata {
  content: Content<Version>[]
  warnings: Differences[Version]['warning'][]
  response?: ResponseMetadata
}

export interface LanguageModel<Version extends SpecificationVersion> {
  readonly specificationVersion: Version
  readonly provider: string
  readonly modelId: string
  readonly supportedUrls: Record<string, RegExp[]>
  doGenerate(options: CallOptions): Promise<GenerateResult<Version>>
  doStream(options: CallOptions): Promise<{ stream: ReadableStream<StreamPart<Version>> }>
}
