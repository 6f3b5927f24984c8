import type { ImageData, ToolUse } from './events.ts'

/** What a caller asks for, checked and filled in by the host. Absent fields are absent. */
export interface CompletionRequest {
  messages: RequestMessage[]
  tools: ToolDefinition[]
  toolChoice?: ToolChoice
  parallelToolCalls?: boolean
  stopSequences: string[]
  temperature?: number
  topP?: number
  seed?: number
  thinkingAllowed: boolean
  reasoningEffort?: ReasoningEffort
  responseFormat?: ResponseFormat
  /** Tokens. */
  maxTokens?: number
  /** Options that only this provider understands; empty where the caller gave none. */
  providerOptions: Record<string, unknown>
}

export interface RequestMessage {
  role: 'user' | 'assistant' | 'system'
  content: MessagePart[]
  /** A prompt-cache anchor: everything up to and including this message may be cached. */
  cache: boolean
}

export type MessagePart =
  | { type: 'text'; text: string }
  | ({ type: 'image' } & ImageData)
  | ({ type: 'file' } & FileData)
  | ({ type: 'tool-use' } & ToolUse)
  | ({ type: 'tool-result' } & ToolResult)
  | { type: 'thinking'; text: string; signature?: string }
  /** Opaque; goes back to the service byte for byte. */
  | { type: 'redacted-thinking'; data: string }
  /** What a `reasoning-details` event carried. */
  | { type: 'reasoning-details'; data: string }
  /** What a `provider-content` event carried. */
  | { type: 'provider-content'; data: string }

export interface FileData {
  /** Base64 without a data-URI prefix, or an https URL. */
  source: string
  /** IANA media type, e.g. "application/pdf". */
  mediaType: string
  name?: string
}

export interface ToolResult {
  toolUseId: string
  toolName: string
  isError: boolean
  content: ({ type: 'text'; text: string } | ({ type: 'image' } & ImageData))[]
}

export interface ToolDefinition {
  name: string
  description: string
  /** JSON Schema, already in the model's `toolInputFormat`. */
  inputSchema: Record<string, unknown>
}

export type ToolChoice = 'auto' | 'any' | 'none' | { tool: string }

export type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'max'

export interface ResponseFormat {
  name: string
  /** JSON Schema. */
  schema: Record<string, unknown>
  /** Ask the service to guarantee conformance, where it can. */
  strict: boolean
}
