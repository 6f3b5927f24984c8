import type * as z from 'zod'
import type { StopReason as ServiceStopReason } from '../../contract/events.ts'

/** A kind of service, as Perfetto's gateway for language models asks for it. */
export interface Protocol {
  readonly id: string
  readonly label: string
  /** Of the models that were listed last; before that, what most models can do. */
  readonly capabilities: ProtocolCapabilities
  /** What the provider's form asks for; none where it has another way in, or needs none. */
  readonly credentialFields: readonly CredentialField[]
  /**
   * @throws {ProviderError} the service could not be reached, or refused the credential. An empty list is an empty list.
   */
  listModels(credentials: Credentials, signal?: AbortSignal): Promise<readonly AvailableModel[]>
  /** Never throws; ends in exactly one `stop`, whatever happens. Leaving the loop frees the socket at once. */
  createStream(
    model: string,
    request: ProtocolRequest,
    credentials: Credentials,
    signal?: AbortSignal,
  ): AsyncGenerator<StreamEvent, void, void>
}

export interface ProtocolCapabilities {
  /** Where it is false, tools are told to the model in words: what the stream says of calls is the same. */
  readonly nativeToolCalling: boolean
  readonly streaming: boolean
}

export interface CredentialField {
  readonly key: string
  readonly label: string
  readonly secret?: boolean
  readonly required?: boolean
  readonly placeholder?: string
}

/** By the keys of `credentialFields`. Without any value: what the host holds already. */
export type Credentials = Readonly<Record<string, string>>

export interface AvailableModel {
  readonly name: string
}

export interface ProtocolRequest {
  /** Empty for none. */
  readonly systemPrompt: string
  readonly messages: readonly Message[]
  readonly tools: readonly ToolDef[]
}

export type Message =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'model'; readonly text: string }
  | { readonly role: 'tool-call'; readonly calls: readonly ToolCall[] }
  | { readonly role: 'tool-result'; readonly results: readonly ToolResult[] }

export interface ToolDef {
  readonly name: string
  readonly description: string
  readonly inputSchema: z.ZodType
}

export interface ToolCall {
  readonly id?: string
  readonly name: string
  readonly args: Record<string, unknown>
  /** Opaque; to be handed back as it is. Holds what the model thought before the call, too. */
  readonly signature?: string
}

export interface ToolResult {
  /** Where it is absent, the result belongs to the first call of that name that has none. */
  readonly id?: string
  readonly name: string
  readonly result: string
  readonly isError?: boolean
}

export type StreamEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thought'; readonly text: string }
  | { readonly type: 'tool-call'; readonly call: ToolCall }
  | { readonly type: 'usage'; readonly usage: TokenUsage }
  | {
      readonly type: 'stop'
      readonly reason: StopReason
      /** There where the reason is `error`, and only there. */
      readonly error?: ProtocolError
      /** The finer reason, of an answer that came to its end. */
      readonly detail?: ServiceStopReason
    }

export type StopReason = 'end' | 'tool-calls' | 'length' | 'error'

export type ErrorKind = 'rate-limit' | 'auth' | 'context-length' | 'network' | 'unknown'

export interface ProtocolError {
  readonly kind: ErrorKind
  readonly message: string
  /** What it was: a `ProviderError` with its status and its wait, or the signal's reason. */
  readonly cause?: unknown
}

/** A field that the service did not report is absent. */
export interface TokenUsage {
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly totalTokens?: number
}
