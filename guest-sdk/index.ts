export type {
  BrowserSignInOptions,
  BrowserSignInResult,
  Context,
  CustomModel,
  FetchOptions,
  HttpMethod,
  Log,
  ProviderSettings,
  RequestBody,
  RequestHeaders,
  SignInContext,
} from './context.ts'
export type { BytesFrame, Decoder, Framing, ServerSentEvent, TextFrame } from './decoder.ts'
export type {
  Citation,
  CompletionEvent,
  Emit,
  ImageData,
  ResponseMetadata,
  StopReason,
  TokenUsage,
  ToolUse,
} from './events.ts'
export type { HttpResponse } from './http-response.ts'
export type { ModelCapabilities, ModelDefinition, ModelPricing, ToolInputFormat } from './models.ts'
export type {
  CacheConfiguration,
  CompletionHttpRequest,
  CompletionStart,
  CredentialField,
  DeviceFlow,
  DeviceFlowPrompt,
  DeviceFlowStatus,
  Provider,
  ProviderExtension,
  SignInOption,
} from './provider.ts'
export { defineProvider, defineProviders } from './provider.ts'
export type { ProviderErrorDetails, ProviderErrorKind } from './provider-error.ts'
export { ProviderError } from './provider-error.ts'
export type {
  CompletionRequest,
  FileData,
  MessagePart,
  ReasoningEffort,
  RequestMessage,
  ResponseFormat,
  ToolChoice,
  ToolDefinition,
  ToolResult,
} from './request.ts'
