export type { SignInEvent } from './capabilities/sign-in-session.ts'
export type {
  Citation,
  CompletionEvent,
  CompletionEventType,
  ImageData,
  ResponseMetadata,
  StopReason,
  TokenCost,
  TokenUsage,
  ToolUse,
} from './contract/events.ts'
export type {
  CacheConfiguration,
  ModelCapabilities,
  ModelInfo,
  ModelPricing,
  ProviderInfo,
  ToolInputFormat,
} from './contract/models.ts'
export type {
  AnswerSchema,
  CompletionRequest,
  MessagePart,
  RequestMessage,
  ToolDefinition,
} from './contract/request.ts'
export type { SignInField, SignInMethod, SignInOption } from './contract/sign-in.ts'
export type { CredentialErrorCode } from './credentials/credential-error.ts'
export { CredentialError } from './credentials/credential-error.ts'
export type { CredentialSource } from './credentials/credential-source.ts'
export { createDefaultStore } from './credentials/default-store.ts'
export { createMemoryStore } from './credentials/memory-store.ts'
export type { Credential, CredentialFacts, CredentialOwner, CredentialStore } from './credentials/store.ts'
export {
  AirlockError,
  ExtensionError,
  InstallError,
  InvalidAnswerError,
  InvalidComponentError,
  InvalidFileError,
  InvalidOptionError,
  InvalidRequestError,
  InvalidToolInputError,
  PermissionDeniedError,
  ProviderError,
  type ProviderErrorKind,
  ToolError,
  TransportError,
  UnknownNameError,
} from './errors.ts'
export type { InstalledExtension } from './extension/installed.ts'
export type { PermissionSheet } from './extension/permission-sheet.ts'
export type { DeviceFlowPrompt } from './oauth/device-flow.ts'
export { createBrowserOpener } from './oauth/open-browser.ts'
export { SignInError, type SignInErrorCode } from './oauth/sign-in-error.ts'
export type { Permissions } from './policy/permissions.ts'
export { type Airlock, createAirlock } from './runtime/airlock.ts'
export type { AirlockOptions } from './runtime/airlock-options.ts'
export type { CompletionResult } from './runtime/collect-result.ts'
export type { CompleteOptions } from './runtime/complete-options.ts'
export type { Completer } from './runtime/completer.ts'
export type { Completion } from './runtime/completion.ts'
export type { TokenCount } from './runtime/count-tokens.ts'
export type { Log, LogEntry, Logger } from './runtime/log.ts'
export type { ModelsChange } from './runtime/model-changes.ts'
export type { ModelFilter } from './runtime/model-filter.ts'
export type { FallbackRule } from './runtime/retry/fallback.ts'
export type { RateLimit } from './runtime/retry/rate-limiter.ts'
export type { RetryOptions } from './runtime/retry/retry-policy.ts'
export type {
  Run,
  RunEvent,
  RunOptions,
  RunRequest,
  RunResult,
  RunStep,
  ToolCallResult,
  ToolOutcome,
} from './runtime/run/run.ts'
export type { SignInForm, SignInRequest, SignInResult, SignInUi } from './runtime/sign-in.ts'
export type { SignOutResult } from './runtime/sign-out.ts'
export { sliceStream } from './runtime/slice-stream.ts'
export type { AirlockStatus, ProviderStatus } from './runtime/status.ts'
export type { AnswerOf, PartialAnswer, WrittenOf } from './runtime/structured/answer-types.ts'
export type { AirlockEvent } from './telemetry/airlock-event.ts'
export type { Failure } from './telemetry/describe-failure.ts'
export type { Fallback, Retry } from './telemetry/observer.ts'
export type { OpenTelemetryOptions } from './telemetry/open-telemetry.ts'
export type { ToolCall } from './tools/call-tool.ts'
export type { ConfirmAnswer, ConfirmRequest, ConfirmTool } from './tools/confirmation.ts'
export { type McpServerDefinition, type McpServerOptions, mcpServer } from './tools/mcp/mcp-server.ts'
export { type ModelNames, type ToolNameRule, toModelNames } from './tools/model-names.ts'
export type { ToolPolicy, ToolRule } from './tools/policy.ts'
export { findToolReferences, type ToolReference } from './tools/references.ts'
export type { ToolFailure, ToolFilter, ToolList, ToolRegistry } from './tools/registry.ts'
export {
  defineTool,
  type NamedTool,
  type Tool,
  type ToolDescription,
  type ToolInvocation,
  type ToolOrigin,
  type ToolOutput,
  type ToolPreparation,
  type ToolTokenOptions,
} from './tools/tool.ts'
export { ToolResult, type ToolResultPart } from './tools/tool-result.ts'
export type { SourceTool, ToolSource } from './tools/tool-source.ts'
