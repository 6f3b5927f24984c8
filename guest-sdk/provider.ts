import type { Context, FetchOptions, SignInContext } from './context.ts'
import type { Decoder, Framing } from './decoder.ts'
import type { CompletionEvent } from './events.ts'
import type { HttpResponse } from './http-response.ts'
import type { ModelDefinition } from './models.ts'
import type { ProviderErrorDetails } from './provider-error.ts'
import type { CompletionRequest } from './request.ts'

/**
 * One provider, as an extension's author writes it. All functions are synchronous: one that returns a
 * promise fails with a sentence that names it. What they throw becomes the caller's error.
 *
 * A provider that talks to a service has `request` and `decode`; one that computes its answers has `respond`.
 */
export interface Provider<F extends Framing = 'server-sent-events'> {
  /** Unique inside the extension, as in extension.json. */
  id: string
  name: string
  /** SVG path relative to the extension's folder. */
  icon?: string
  models(context: Context): readonly ModelDefinition[]

  /** The HTTP request that a completion needs. The host sends it, and retries it where that is safe. */
  request?(request: CompletionRequest, model: string, context: Context): CompletionHttpRequest<F>
  /** Called once a completion, before its request is sent; returns its state machine. */
  decode?(start: CompletionStart): Decoder<F>
  /**
   * The service answered outside 200-299: what that means. The SDK adds the status, and the time to wait where
   * this does not say one. Default: `errorFromResponse`.
   */
  reject?(response: HttpResponse, start: CompletionStart): ProviderErrorDetails

  /** Computes the answer with no request, one event after another. */
  respond?(request: CompletionRequest, model: string, context: Context): Iterable<CompletionEvent>

  /** Input tokens of the request. Default: the host estimates. */
  countTokens?(request: CompletionRequest, model: string, context: Context): number
  /** Default: none, the host sets no cache anchors. */
  cacheConfiguration?(model: string): CacheConfiguration | undefined

  /** Default: none, the provider needs no signing in. */
  signInOptions?(context: Context): readonly SignInOption[]
  /** Default: there is a credential, or there is no way to sign in. */
  isAuthenticated?(context: Context): boolean
  /**
   * For `form` and `browser`. Secret fields of a form hold placeholders unless `credentials: read` was granted.
   * Default: a form's only field is stored; of a longer one a JSON object, its fields that are no secrets in `public`.
   */
  signIn?(option: string, form: Readonly<Record<string, string>>, context: SignInContext): void
  /** Default: deletes the credential. */
  signOut?(context: SignInContext): void
  /**
   * The service refused the credential, or it is about to end. True where a new one is stored and worth one repeat.
   * A ProviderError of kind `authentication` means that only the user can get another. Default: false.
   */
  refreshCredential?(context: SignInContext): boolean
  startDeviceFlow?(option: string, context: SignInContext): DeviceFlow
  pollDeviceFlow?(state: string, context: SignInContext): DeviceFlowStatus
  /** Markdown for the settings page. */
  settingsMarkdown?(context: Context): string | undefined
}

export interface CompletionStart {
  request: CompletionRequest
  /** The model's id. */
  model: string
  context: Context
}

export interface CompletionHttpRequest<F extends Framing = 'server-sent-events'> extends FetchOptions {
  url: string | URL
  /** Default: `server-sent-events`. */
  framing?: F
}

export interface CacheConfiguration {
  maxCacheAnchors: number
  shouldCacheToolDefinitions: boolean
  /** Tokens below which the service caches nothing. */
  minTotalTokenCount: number
}

export interface SignInOption {
  /** Unique inside the provider. */
  id: string
  label: string
  method: { type: 'form'; fields: readonly CredentialField[] } | { type: 'browser' } | { type: 'device-flow' }
}

export interface CredentialField {
  key: string
  label: string
  /** Masked on screen, kept in the credential store. Default: true. */
  secret?: boolean
  /** Default: true. */
  required?: boolean
  placeholder?: string
}

export interface DeviceFlow {
  prompt: DeviceFlowPrompt
  /** Opaque to the host; handed to each poll. */
  state: string
  pollIntervalSeconds: number
  expiresInSeconds: number
}

export interface DeviceFlowPrompt {
  userCode: string
  verificationUrl: string
  headline: string
  description: string
  connectButtonLabel: string
  successHeadline: string
  successMessage: string
}

export type DeviceFlowStatus =
  | 'pending'
  /** The credential is stored. */
  | 'complete'
  /** Poll no more often than this many seconds. */
  | { slowDownSeconds: number }

/** What `provider.ts` exports as its default. */
export interface ProviderExtension {
  readonly providers: readonly Provider<Framing>[]
}

/** Makes a provider an extension. */
export function defineProvider<F extends Framing = 'server-sent-events'>(
  provider: Provider<F>,
): ProviderExtension {
  return { providers: [provider as Provider<Framing>] }
}

/** Several providers in one extension: `defineProviders([defineProvider(...), defineProvider(...)])`. Their ids must differ. */
export function defineProviders(extensions: readonly ProviderExtension[]): ProviderExtension {
  return { providers: extensions.flatMap(extension => extension.providers) }
}
