/// <reference path="./airlock-llm-http-client.d.ts" />
declare module 'airlock:llm/llm-provider@0.1.0' {
  /**
   * --- credentials, environment, settings ---
   * The provider's secret: unless the manifest was granted `credentials: read`, a placeholder that
   * the host swaps for the secret on its way to an allowed origin.
   * 
   * A credential that was stored as a JSON object comes back as one, each of its string fields a
   * placeholder of its own. Numbers, booleans, lists, and everything inside the top-level field
   * `public` come back as they are: an address belongs there, a token does not. More than 32
   * fields, or objects four deep, count as one secret text.
   */
  export function getCredential(providerId: string): string | undefined;
  /**
   * Keeps the provider's secret. A placeholder of this provider's, as the whole value or as a string
   * field of a JSON object, is the secret again in the store: so what a form or an earlier
   * credential held can be kept without having been seen. A number `expiresAt` in a JSON object,
   * milliseconds since 1970, tells the host when to call `refresh-credential`.
   */
  export function storeCredential(providerId: string, value: string): void;
  export function deleteCredential(providerId: string): void;
  /**
   * An environment variable that the manifest names and the user allowed, else none.
   */
  export function getEnvVar(name: string): string | undefined;
  export function getProviderSettings(providerId: string): ProviderSettings | undefined;
  export function oauthStartWebAuth(config: OauthWebAuthConfig): OauthWebAuthResult;
  export function oauthSendHttpRequest(request: HttpRequest): HttpResponseWithStatus;
  export function oauthOpenBrowser(url: string): void;
  export type HttpRequest = import('airlock:llm/http-client@0.1.0').HttpRequest;
  export type HttpResponseWithStatus = import('airlock:llm/http-client@0.1.0').HttpResponseWithStatus;
  export interface ProviderInfo {
    /**
     * Unique inside the extension, e.g. "anthropic".
     */
    id: string,
    name: string,
    /**
     * SVG path relative to the extension's folder.
     */
    icon?: string,
  }
  /**
   * How a model wants its tools' input schemas.
   * # Variants
   * 
   * ## `"json-schema"`
   * 
   * ## `"json-schema-subset"`
   * 
   * The subset of JSON Schema that Google's API accepts.
   * ## `"simplified"`
   * 
   * No references, combinators or bounds.
   */
  export type ToolInputFormat = 'json-schema' | 'json-schema-subset' | 'simplified';
  export interface ModelCapabilities {
    supportsImages: boolean,
    /**
     * Documents, e.g. PDF.
     */
    supportsFiles: boolean,
    supportsTools: boolean,
    supportsToolChoiceAuto: boolean,
    supportsToolChoiceAny: boolean,
    supportsToolChoiceNone: boolean,
    /**
     * A single named tool can be forced.
     */
    supportsToolChoiceTool: boolean,
    supportsParallelToolCalls: boolean,
    supportsThinking: boolean,
    supportsStructuredOutput: boolean,
    /**
     * False where the answer arrives in one piece.
     */
    supportsStreaming: boolean,
    toolInputFormat: ToolInputFormat,
    /**
     * The most tools that one request may carry, where the service sets a limit.
     */
    maxTools?: number,
  }
  /**
   * US dollars per million tokens.
   */
  export interface ModelPricing {
    input: number,
    output: number,
    cacheRead?: number,
    cacheWrite?: number,
  }
  export interface ModelInfo {
    id: string,
    name: string,
    /**
     * What versions of one model have in common, e.g. "claude-sonnet".
     */
    family?: string,
    /**
     * Input context window, tokens.
     */
    maxTokenCount: bigint,
    /**
     * Longest answer, tokens.
     */
    maxOutputTokens?: bigint,
    capabilities: ModelCapabilities,
    pricing?: ModelPricing,
    isDefault: boolean,
    /**
     * The default where a quick, cheap answer is wanted.
     */
    isDefaultFast: boolean,
  }
  /**
   * # Variants
   * 
   * ## `"user"`
   * 
   * ## `"assistant"`
   * 
   * ## `"system"`
   */
  export type MessageRole = 'user' | 'assistant' | 'system';
  export interface ImageData {
    /**
     * Base64 without a data-URI prefix, or an https URL.
     */
    source: string,
    /**
     * IANA media type; none means the source is a URL.
     */
    mediaType?: string,
    /**
     * Pixels.
     */
    width?: number,
    /**
     * Pixels.
     */
    height?: number,
  }
  export interface FileData {
    /**
     * Base64 without a data-URI prefix, or an https URL.
     */
    source: string,
    /**
     * IANA media type, e.g. "application/pdf".
     */
    mediaType: string,
    name?: string,
  }
  export interface ToolUse {
    id: string,
    name: string,
    /**
     * JSON text of the arguments so far. From a model, so untrusted.
     */
    input: string,
    isInputComplete: boolean,
    /**
     * Opaque; goes back to the service byte for byte.
     */
    thoughtSignature?: string,
  }
  export type ToolResultContent = ToolResultContentText | ToolResultContentImage;
  export interface ToolResultContentText {
    tag: 'text',
    val: string,
  }
  export interface ToolResultContentImage {
    tag: 'image',
    val: ImageData,
  }
  export interface ToolResult {
    toolUseId: string,
    toolName: string,
    isError: boolean,
    content: Array<ToolResultContent>,
  }
  export interface ThinkingContent {
    text: string,
    /**
     * Opaque; goes back to the service byte for byte.
     */
    signature?: string,
  }
  export type MessageContent = MessageContentText | MessageContentImage | MessageContentFile | MessageContentToolUse | MessageContentToolResult | MessageContentThinking | MessageContentRedactedThinking | MessageContentReasoningDetails | MessageContentProviderContent;
  export interface MessageContentText {
    tag: 'text',
    val: string,
  }
  export interface MessageContentImage {
    tag: 'image',
    val: ImageData,
  }
  export interface MessageContentFile {
    tag: 'file',
    val: FileData,
  }
  export interface MessageContentToolUse {
    tag: 'tool-use',
    val: ToolUse,
  }
  export interface MessageContentToolResult {
    tag: 'tool-result',
    val: ToolResult,
  }
  export interface MessageContentThinking {
    tag: 'thinking',
    val: ThinkingContent,
  }
  /**
   * Opaque; goes back to the service byte for byte.
   */
  export interface MessageContentRedactedThinking {
    tag: 'redacted-thinking',
    val: string,
  }
  /**
   * What a `reasoning-details` event carried.
   */
  export interface MessageContentReasoningDetails {
    tag: 'reasoning-details',
    val: string,
  }
  /**
   * What a `provider-content` event carried.
   */
  export interface MessageContentProviderContent {
    tag: 'provider-content',
    val: string,
  }
  export interface RequestMessage {
    role: MessageRole,
    content: Array<MessageContent>,
    /**
     * A prompt-cache anchor: everything up to and including this message may be cached.
     */
    cache: boolean,
  }
  export interface ToolDefinition {
    name: string,
    description: string,
    /**
     * JSON Schema text, already in the model's `tool-input-format`.
     */
    inputSchema: string,
  }
  export type ToolChoice = ToolChoiceAuto | ToolChoiceAny | ToolChoiceNone | ToolChoiceTool;
  export interface ToolChoiceAuto {
    tag: 'auto',
  }
  export interface ToolChoiceAny {
    tag: 'any',
  }
  export interface ToolChoiceNone {
    tag: 'none',
  }
  /**
   * This tool and no other.
   */
  export interface ToolChoiceTool {
    tag: 'tool',
    val: string,
  }
  /**
   * # Variants
   * 
   * ## `"none"`
   * 
   * ## `"minimal"`
   * 
   * ## `"low"`
   * 
   * ## `"medium"`
   * 
   * ## `"high"`
   * 
   * ## `"max"`
   */
  export type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'max';
  export interface ResponseFormat {
    name: string,
    /**
     * JSON Schema text.
     */
    schema: string,
    /**
     * Ask the service to guarantee conformance, where it can.
     */
    strict: boolean,
  }
  export interface CompletionRequest {
    messages: Array<RequestMessage>,
    tools: Array<ToolDefinition>,
    toolChoice?: ToolChoice,
    parallelToolCalls?: boolean,
    stopSequences: Array<string>,
    temperature?: number,
    topP?: number,
    seed?: bigint,
    thinkingAllowed: boolean,
    reasoningEffort?: ReasoningEffort,
    responseFormat?: ResponseFormat,
    maxTokens?: bigint,
    /**
     * JSON object text of options that only this provider understands.
     */
    providerOptions?: string,
  }
  export interface ToolInputDelta {
    toolUseId: string,
    toolName: string,
    delta: string,
  }
  /**
   * A source that the answer rests on.
   */
  export interface Citation {
    url?: string,
    title?: string,
    text?: string,
  }
  export interface ResponseMetadata {
    id?: string,
    model?: string,
  }
  export interface ToolUseJsonParseError {
    id: string,
    toolName: string,
    rawInput: string,
    error: string,
  }
  /**
   * # Variants
   * 
   * ## `"end-turn"`
   * 
   * ## `"max-tokens"`
   * 
   * ## `"stop-sequence"`
   * 
   * ## `"tool-use"`
   * 
   * ## `"refusal"`
   * 
   * ## `"content-filter"`
   * 
   * ## `"other"`
   * 
   * The service gave a reason that none of these name.
   */
  export type StopReason = 'end-turn' | 'max-tokens' | 'stop-sequence' | 'tool-use' | 'refusal' | 'content-filter' | 'other';
  export interface TokenUsage {
    inputTokens: bigint,
    outputTokens: bigint,
    cacheCreationInputTokens?: bigint,
    cacheReadInputTokens?: bigint,
    /**
     * The part of the output spent on reasoning.
     */
    reasoningTokens?: bigint,
    /**
     * The service's own total, which need not be the sum.
     */
    totalTokens?: bigint,
  }
  export interface CacheConfiguration {
    maxCacheAnchors: number,
    shouldCacheToolDefinitions: boolean,
    minTotalTokenCount: bigint,
  }
  /**
   * # Variants
   * 
   * ## `"authentication"`
   * 
   * No credential, or one that the service refuses.
   * ## `"permission"`
   * 
   * The credential is good but may not do this.
   * ## `"rate-limited"`
   * 
   * ## `"quota-exhausted"`
   * 
   * Out of credit or quota: waiting does not help.
   * ## `"overloaded"`
   * 
   * The service has no capacity now.
   * ## `"context-length-exceeded"`
   * 
   * ## `"model-not-found"`
   * 
   * ## `"content-filtered"`
   * 
   * ## `"invalid-request"`
   * 
   * ## `"unsupported"`
   * 
   * ## `"network"`
   * 
   * ## `"other"`
   */
  export type ProviderErrorKind = 'authentication' | 'permission' | 'rate-limited' | 'quota-exhausted' | 'overloaded' | 'context-length-exceeded' | 'model-not-found' | 'content-filtered' | 'invalid-request' | 'unsupported' | 'network' | 'other';
  export interface ProviderError {
    kind: ProviderErrorKind,
    /**
     * For a person; never holds a secret.
     */
    message: string,
    /**
     * HTTP status, where one came.
     */
    status?: number,
    /**
     * The service's own error code.
     */
    code?: string,
    /**
     * How long the service asked to wait; none where it did not say.
     */
    retryAfterMs?: bigint,
  }
  export type CompletionEvent = CompletionEventStarted | CompletionEventResponseMetadata | CompletionEventText | CompletionEventThinking | CompletionEventRedactedThinking | CompletionEventToolInputDelta | CompletionEventToolUse | CompletionEventToolUseJsonParseError | CompletionEventImage | CompletionEventCitation | CompletionEventStop | CompletionEventUsage | CompletionEventReasoningDetails | CompletionEventProviderContent | CompletionEventFailed;
  export interface CompletionEventStarted {
    tag: 'started',
  }
  /**
   * The service's own id for the answer and the model that gave it.
   */
  export interface CompletionEventResponseMetadata {
    tag: 'response-metadata',
    val: ResponseMetadata,
  }
  export interface CompletionEventText {
    tag: 'text',
    val: string,
  }
  export interface CompletionEventThinking {
    tag: 'thinking',
    val: ThinkingContent,
  }
  export interface CompletionEventRedactedThinking {
    tag: 'redacted-thinking',
    val: string,
  }
  /**
   * The next piece of a call's arguments; the whole call follows as `tool-use`.
   */
  export interface CompletionEventToolInputDelta {
    tag: 'tool-input-delta',
    val: ToolInputDelta,
  }
  export interface CompletionEventToolUse {
    tag: 'tool-use',
    val: ToolUse,
  }
  export interface CompletionEventToolUseJsonParseError {
    tag: 'tool-use-json-parse-error',
    val: ToolUseJsonParseError,
  }
  export interface CompletionEventImage {
    tag: 'image',
    val: ImageData,
  }
  export interface CompletionEventCitation {
    tag: 'citation',
    val: Citation,
  }
  export interface CompletionEventStop {
    tag: 'stop',
    val: StopReason,
  }
  /**
   * Running totals: each field replaces the one before it.
   */
  export interface CompletionEventUsage {
    tag: 'usage',
    val: TokenUsage,
  }
  /**
   * Provider-specific JSON text to be sent back with the next request.
   */
  export interface CompletionEventReasoningDetails {
    tag: 'reasoning-details',
    val: string,
  }
  /**
   * A block that only this provider understands, e.g. a tool that the service ran itself, as JSON
   * text: kept in its place in the history and sent back unchanged.
   */
  export interface CompletionEventProviderContent {
    tag: 'provider-content',
    val: string,
  }
  /**
   * The answer failed here. Events before it in the same group still count; nothing may follow.
   * An error returned from `decode` says the same of a group that brought no event.
   */
  export interface CompletionEventFailed {
    tag: 'failed',
    val: ProviderError,
  }
  export interface CustomModelConfig {
    name: string,
    displayName?: string,
    maxTokens: bigint,
    maxOutputTokens?: bigint,
    /**
     * Tokens; none leaves it to the provider.
     */
    thinkingBudget?: number,
  }
  export interface ProviderSettings {
    apiUrl?: string,
    availableModels: Array<CustomModelConfig>,
  }
  /**
   * --- OAuth: there while a user signs in to this provider, and an error at any other time ---
   */
  export interface OauthWebAuthConfig {
    /**
     * Opened in the user's browser, each `{port}` replaced by the loopback server's port.
     */
    authUrl: string,
    /**
     * Where the redirect arrives, e.g. "/callback".
     */
    callbackPath: string,
    /**
     * Seconds; none means 300.
     */
    timeoutSecs?: number,
  }
  export interface OauthWebAuthResult {
    /**
     * The whole callback URL, query and all.
     */
    callbackUrl: string,
    port: number,
  }
  export interface DeviceFlowPromptInfo {
    userCode: string,
    verificationUrl: string,
    headline: string,
    description: string,
    connectButtonLabel: string,
    successHeadline: string,
    successMessage: string,
  }
}
