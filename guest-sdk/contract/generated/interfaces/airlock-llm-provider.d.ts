/// <reference path="./airlock-llm-http-client.d.ts" />
/// <reference path="./airlock-llm-llm-provider.d.ts" />
declare module 'airlock:llm/provider@0.1.0' {
  export function providers(): Array<ProviderInfo>;
  export function models(providerId: string): Array<ModelInfo>;
  export function getCacheConfiguration(providerId: string, modelId: string): CacheConfiguration | undefined;
  /**
   * Input tokens of the request; `unsupported` lets the host estimate.
   */
  export function countTokens(providerId: string, modelId: string, request: CompletionRequest): bigint;
  export function signInOptions(providerId: string): Array<SignInOption>;
  /**
   * Markdown for the settings page.
   */
  export function settingsMarkdown(providerId: string): string | undefined;
  export function isAuthenticated(providerId: string): boolean;
  /**
   * For `form` and `browser`; returns when the credential is stored.
   */
  export function signIn(providerId: string, optionId: string, form: string | undefined): void;
  export function signOut(providerId: string): void;
  /**
   * The service refused the credential, or it is about to end. True where a new one is stored and the
   * call is worth one repeat. An error of kind `authentication` means that only the user can get
   * another: the host forgets this one.
   */
  export function refreshCredential(providerId: string): boolean;
  export function startDeviceFlow(providerId: string, optionId: string): DeviceFlow;
  export function pollDeviceFlow(providerId: string, state: string): DeviceFlowStatus;
  export function startCompletion(providerId: string, modelId: string, request: CompletionRequest): StartedCompletion;
  export type HttpRequest = import('airlock:llm/http-client@0.1.0').HttpRequest;
  export type HttpResponseWithStatus = import('airlock:llm/http-client@0.1.0').HttpResponseWithStatus;
  export type ProviderInfo = import('airlock:llm/llm-provider@0.1.0').ProviderInfo;
  export type ModelInfo = import('airlock:llm/llm-provider@0.1.0').ModelInfo;
  export type CompletionRequest = import('airlock:llm/llm-provider@0.1.0').CompletionRequest;
  export type CompletionEvent = import('airlock:llm/llm-provider@0.1.0').CompletionEvent;
  export type CacheConfiguration = import('airlock:llm/llm-provider@0.1.0').CacheConfiguration;
  export type ProviderError = import('airlock:llm/llm-provider@0.1.0').ProviderError;
  export type DeviceFlowPromptInfo = import('airlock:llm/llm-provider@0.1.0').DeviceFlowPromptInfo;
  /**
   * --- signing in ---
   */
  export interface CredentialField {
    key: string,
    label: string,
    /**
     * Masked on screen, kept in the credential store.
     */
    secret: boolean,
    required: boolean,
    placeholder?: string,
  }
  export type SignInMethod = SignInMethodForm | SignInMethodBrowser | SignInMethodDeviceFlow;
  /**
   * A form; the host passes what was entered to `sign-in` as JSON object text, with a placeholder
   * in place of each secret field unless the manifest was granted `credentials: read`.
   */
  export interface SignInMethodForm {
    tag: 'form',
    val: Array<CredentialField>,
  }
  /**
   * The guest runs it through `oauth-start-web-auth`.
   */
  export interface SignInMethodBrowser {
    tag: 'browser',
  }
  /**
   * The host shows the prompt and does the polling.
   */
  export interface SignInMethodDeviceFlow {
    tag: 'device-flow',
  }
  export interface SignInOption {
    /**
     * Unique inside the provider.
     */
    id: string,
    label: string,
    method: SignInMethod,
  }
  export interface DeviceFlow {
    prompt: DeviceFlowPromptInfo,
    /**
     * Opaque to the host; handed to each poll.
     */
    state: string,
    pollIntervalSecs: number,
    expiresInSecs: number,
  }
  export type DeviceFlowStatus = DeviceFlowStatusPending | DeviceFlowStatusSlowDown | DeviceFlowStatusComplete;
  export interface DeviceFlowStatusPending {
    tag: 'pending',
  }
  /**
   * Poll no more often than this many seconds.
   */
  export interface DeviceFlowStatusSlowDown {
    tag: 'slow-down',
    val: number,
  }
  /**
   * The credential is stored.
   */
  export interface DeviceFlowStatusComplete {
    tag: 'complete',
  }
  /**
   * --- completions ---
   * How the host cuts the response body into frames.
   * # Variants
   * 
   * ## `"server-sent-events"`
   * 
   * ## `"lines"`
   * 
   * One frame a line, e.g. JSON lines.
   * ## `"whole"`
   * 
   * The whole body as one frame.
   * ## `"bytes"`
   * 
   * As the bytes come.
   * ## `"none"`
   * 
   * There is no request: the guest computes the answer itself, and the host calls `decode`
   * with no frames until a `stop` comes.
   */
  export type Framing = 'server-sent-events' | 'lines' | 'whole' | 'bytes' | 'none';
  export interface ServerSentEvent {
    event?: string,
    data: string,
  }
  export type Frame = FrameEvent | FrameText | FrameBytes;
  export interface FrameEvent {
    tag: 'event',
    val: ServerSentEvent,
  }
  export interface FrameText {
    tag: 'text',
    val: string,
  }
  export interface FrameBytes {
    tag: 'bytes',
    val: Uint8Array,
  }
  export interface StartedCompletion {
    request?: HttpRequest,
    framing: Framing,
    completion: Completion,
  }
  
  export class Completion {
    /**
     * This type does not have a public constructor.
     */
    private constructor();
    /**
    * Turns frames into events. Called for each group of frames that has arrived.
    */
    decode(frames: Array<Frame>): Array<CompletionEvent>;
    /**
    * The body has ended: what is still owed.
    */
    finish(): Array<CompletionEvent>;
    /**
    * The service answered outside 200-299: what that means.
    */
    reject(response: HttpResponseWithStatus): ProviderError;
  }
}
