import type { HttpResponse } from './http-response.ts'

/** What a provider may ask of the host. Every function blocks until it has its answer. */
export interface Context {
  /**
   * The provider's secret. Unless the manifest was granted `credentials: read` it is a placeholder,
   * which the host swaps for the secret on its way to an allowed origin: put it into a header or the query.
   *
   * What was stored as a JSON object comes back as one, with a placeholder in each string field, so that
   * `Bearer ${JSON.parse(credential).accessToken}` works. Numbers, booleans, lists and what stands under `public` are
   * plain: an address belongs there. A body holds a secret only in the fields that `permissions.bodyFields` names.
   */
  credential(): string | undefined
  /** An environment variable that the manifest names and the user allowed. */
  env(name: string): string | undefined
  /** What the user wrote for this provider in the settings. */
  settings(): ProviderSettings | undefined
  /**
   * Sends a request and waits for the whole answer, whatever its status. For listing models and signing
   * in; a completion returns its request from `request()` instead, and the host sends it.
   * @throws {ProviderError} kind `network` where no answer came.
   */
  fetch(url: string | URL, options?: FetchOptions): HttpResponse
  readonly log: Log
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number
}

/** What sign-in functions get besides. */
export interface SignInContext extends Context {
  /**
   * Keeps the provider's secret: a key, or a JSON object of tokens. A placeholder in it, as the whole value or as a
   * string field, is the secret again in the store. Where `expiresAt` (milliseconds since 1970) is a number in it, the
   * host calls `refreshCredential` before that.
   * @throws {ProviderError} where the store fails.
   */
  storeCredential(value: string): void
  /** @throws {ProviderError} where the store fails. */
  deleteCredential(): void
  /**
   * Opens `authUrl` in the user's browser, each `{port}` in it replaced by the loopback server's port,
   * and waits for the redirect.
   * @throws {ProviderError} when the user or the time limit ended it.
   */
  browserSignIn(options: BrowserSignInOptions): BrowserSignInResult
  /** @throws {ProviderError} where the URL may not be opened. */
  openBrowser(url: string | URL): void
}

export interface FetchOptions {
  /** Default: `get`, or `post` with a body. */
  method?: HttpMethod
  headers?: RequestHeaders
  /** A string or bytes go as they are; anything else as JSON, with its content type. */
  body?: RequestBody
  /** How many redirects to follow. Default: all that the host allows. */
  maxRedirects?: number
}

export type HttpMethod = 'get' | 'head' | 'post' | 'put' | 'delete' | 'options' | 'patch'

/** Names and values. An undefined value leaves the header out. */
export type RequestHeaders =
  | Readonly<Record<string, string | undefined>>
  | readonly (readonly [name: string, value: string])[]

/** A string or bytes go as they are; an object as JSON, with its content type. */
export type RequestBody = string | Uint8Array | object

export interface ProviderSettings {
  /** Replaces the service's own base URL. */
  apiUrl?: string
  availableModels: CustomModel[]
}

/** A model that the user named in the settings. */
export interface CustomModel {
  /** The model's id at the service. */
  name: string
  displayName?: string
  /** Input context window, tokens. */
  maxTokens: number
  /** Longest answer, tokens. */
  maxOutputTokens?: number
  /** Tokens. */
  thinkingBudget?: number
}

export interface Log {
  debug(message: string): void
  info(message: string): void
  warn(message: string): void
  error(message: string): void
}

export interface BrowserSignInOptions {
  authUrl: string | URL
  /** Where the redirect arrives, e.g. "/callback". */
  callbackPath: string
  /** Seconds. Default: 300. */
  timeoutSeconds?: number
}

export interface BrowserSignInResult {
  /** The whole callback URL, query and all. */
  callbackUrl: string
  port: number
}
