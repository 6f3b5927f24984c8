export type {
  Citation,
  CompletionEvent,
  CompletionEventType,
  ImageData,
  ResponseMetadata,
  StopReason,
  TokenUsage,
  ToolUse,
} from './contract/events.ts'
export type {
  ModelCapabilities,
  ModelInfo,
  ModelPricing,
  ProviderInfo,
  ToolInputFormat,
} from './contract/models.ts'
export type { CompletionRequest, MessagePart, RequestMessage, ToolDefinition } from './contract/request.ts'
export { createMemoryStore } from './credentials/memory-store.ts'
export type { CredentialOwner, CredentialStore } from './credentials/store.ts'
export {
  AirlockError,
  ExtensionError,
  InstallError,
  InvalidComponentError,
  InvalidFileError,
  InvalidOptionError,
  InvalidRequestError,
  PermissionDeniedError,
  ProviderError,
  type ProviderErrorKind,
  TransportError,
  UnknownNameError,
} from './errors.ts'
export type { InstalledExtension } from './extension/installed.ts'
export type { PermissionSheet } from './extension/permission-sheet.ts'
export type { Permissions } from './policy/permissions.ts'
export { type Airlock, type AirlockOptions, createAirlock } from './runtime/airlock.ts'
export type { CompletionResult } from './runtime/collect-result.ts'
export type { Completion } from './runtime/completion.ts'
export type { LogEntry } from './runtime/log.ts'
