export { type Base64Options, base64ToBytes, bytesToBase64 } from './base64.ts'
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
export { errorFromResponse, errorFromValue, retryAfter } from './http-error.ts'
export { createHttpResponse, type HttpResponse } from './http-response.ts'
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
export {
  isObject,
  type JsonObject,
  readArray,
  readBoolean,
  readNumber,
  readObject,
  readOptionalArray,
  readOptionalBoolean,
  readOptionalNumber,
  readOptionalObject,
  readOptionalString,
  readString,
  UnexpectedValueError,
} from './read-json.ts'
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
export type { SchemaValue } from './schema-value.ts'
export { sha256 } from './sha256.ts'
export type {
  ParametersSchema,
  Tool,
  ToolContext,
  ToolExtension,
  ToolOutcome,
  ToolOutput,
  ToolResultPart,
} from './tool.ts'
export { defineTool, defineTools } from './tool.ts'
