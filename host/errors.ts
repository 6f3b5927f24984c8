import type { CompletionEvent, StopReason, TokenUsage } from './contract/events.ts'

/** Every error that Airlock throws carries a stable `code`; messages may change, codes do not. */
export class AirlockError extends Error {
  readonly code: string

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
    this.code = code
  }
}

/** The caller's request cannot be sent as it is. `path` names the field, e.g. `messages[1].content[0].source`. */
export class InvalidRequestError extends AirlockError {
  readonly path: string

  constructor(path: string, message: string, options?: ErrorOptions) {
    super('invalid-request', message, options)
    this.path = path
  }
}

/** An option of a library call is out of its range. */
export class InvalidOptionError extends AirlockError {
  constructor(message: string, options?: ErrorOptions) {
    super('invalid-option', message, options)
  }
}

/** A file that the user or an author wrote does not fit its schema; the message names the file and the key. */
export class InvalidFileError extends AirlockError {
  readonly file: string

  constructor(
    code: 'invalid-manifest' | 'invalid-settings' | 'invalid-lock',
    file: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(code, message, options)
    this.file = file
  }
}

/** A name that nothing answers to. `nearest` holds known names that look like it, best first. */
export class UnknownNameError extends AirlockError {
  readonly nearest: readonly string[]

  constructor(
    code: 'unknown-model' | 'unknown-provider' | 'unknown-extension' | 'unknown-setting' | 'unknown-tool',
    message: string,
    nearest: readonly string[] = [],
  ) {
    super(code, message)
    this.nearest = nearest
  }
}

/** The bytes are not a component that this host can load. `imports` lists what it wanted and may not have. */
export class InvalidComponentError extends AirlockError {
  readonly imports: readonly string[]

  constructor(message: string, options: ErrorOptions & { imports?: readonly string[] } = {}) {
    super('invalid-component', message, options)
    this.imports = options.imports ?? []
  }
}

/** An extension could not be installed; what was installed before is untouched. */
export class InstallError extends AirlockError {
  constructor(message: string, options?: ErrorOptions) {
    super('install-failed', message, options)
  }
}

/** Manifest or grant do not allow it. The message names the permission and the file to change. */
export class PermissionDeniedError extends AirlockError {
  /** The permission asked for, e.g. `network: https://api.example.com`. */
  readonly permission: string

  constructor(permission: string, message: string, options?: ErrorOptions) {
    super('permission-denied', message, options)
    this.permission = permission
  }
}

export type ExtensionErrorCode =
  /** It could not be started within its limit. */
  | 'extension-start-failed'
  /** The guest trapped; its instance is gone and the next call has a new one. */
  | 'extension-trapped'
  /** It computed, allocated or emitted more than its limits and was stopped. */
  | 'extension-stopped'
  /** What it returned does not fit the contract. */
  | 'extension-broke-contract'
  /** It died so often that the host holds it back for a while. */
  | 'extension-held-back'
  /** The host was closed, or the extension removed, while it ran. */
  | 'extension-closed'

/** The sandboxed side failed. The message names the extension. */
export class ExtensionError extends AirlockError {
  declare readonly code: ExtensionErrorCode
  readonly extension: string

  constructor(code: ExtensionErrorCode, extension: string, message: string, options?: ErrorOptions) {
    super(code, message, options)
    this.extension = extension
  }
}

export type ToolErrorCode =
  /** It threw; what it threw is the `cause`. */
  | 'tool-failed'
  /** It returned nothing, or something that is no result. */
  | 'tool-broke-contract'
  /** It used what was only there while its call ran. */
  | 'tool-call-over'
  | 'invalid-tool-input'

/** A tool could not do what it was called for. */
export class ToolError extends AirlockError {
  declare readonly code: ToolErrorCode
  /** The tool's id. */
  readonly tool: string

  constructor(code: ToolErrorCode, tool: string, message: string, options?: ErrorOptions) {
    super(code, message, options)
    this.tool = tool
  }
}

/** What a tool was called with does not fit its schema; the tool did not run. */
export class InvalidToolInputError extends ToolError {
  /** Where the first thing is wrong, e.g. `files[0].name`; empty for the whole. */
  readonly path: string
  /** All that is wrong. Messages are sentences with the path in them. */
  readonly issues: readonly { path: string; message: string }[]

  constructor(tool: string, issues: readonly { path: string; message: string }[], options?: ErrorOptions) {
    const shown = issues.slice(0, MAX_SHOWN_ISSUES).map(({ message }) => message)
    if (issues.length > shown.length) shown.push(`and ${issues.length - shown.length} more`)
    super('invalid-tool-input', tool, `Cannot call "${tool}": ${shown.join('; ')}`, options)
    this.path = issues[0]?.path ?? ''
    this.issues = issues
  }
}

const MAX_SHOWN_ISSUES = 10

export interface InvalidAnswerDetails {
  text: string
  issues: readonly { path: string; message: string }[]
  stopReason: StopReason
  cause?: unknown
}

/** A model's answer is not what `responseFormat` asked for: it does not fit the schema, was cut off or refused. */
export class InvalidAnswerError extends AirlockError {
  /** The answer as the model wrote it; not enumerable, so that logs do not hold conversations. */
  declare readonly text: string
  /** Where the first thing is wrong, e.g. `items[0].price`; empty for the whole. */
  readonly path: string
  /** All that is wrong. Messages are sentences with the path in them. Empty where there was nothing to check. */
  readonly issues: readonly { path: string; message: string }[]
  readonly stopReason: StopReason

  constructor(message: string, { text, issues, stopReason, cause }: InvalidAnswerDetails) {
    super('invalid-answer', message, cause === undefined ? undefined : { cause })
    this.path = issues[0]?.path ?? ''
    this.issues = issues
    this.stopReason = stopReason
    Object.defineProperty(this, 'text', { value: text, enumerable: false })
  }
}

export type TransportErrorCode =
  | 'connect-failed'
  | 'dns-failed'
  | 'tls-failed'
  | 'timed-out'
  | 'connection-lost'
  | 'too-large'
  | 'invalid-response'
  | 'invalid-request'
  | 'too-many-redirects'

/** An HTTP exchange did not come about or broke off. Holds no header, no body and no query. */
export class TransportError extends AirlockError {
  declare readonly code: TransportErrorCode

  constructor(code: TransportErrorCode, message: string, options?: ErrorOptions) {
    super(code, message, options)
  }
}

export type ProviderErrorKind =
  | 'authentication'
  | 'permission'
  | 'rate-limited'
  | 'quota-exhausted'
  | 'overloaded'
  | 'context-length-exceeded'
  | 'model-not-found'
  | 'content-filtered'
  | 'invalid-request'
  | 'unsupported'
  | 'network'
  | 'other'

export interface ProviderErrorDetails {
  kind: ProviderErrorKind
  message: string
  /** HTTP status, where one came. */
  status?: number
  /** The service's own error code, or the code of the error in `cause`. */
  providerCode?: string
  /** How long the service asked to wait, milliseconds. Absent where it did not say: that is not "now". */
  retryAfterMs?: number
  provider?: string
  model?: string
  /** What had been delivered when it failed. */
  partial?: readonly CompletionEvent[]
  /** What the service had reported when it failed. */
  usage?: TokenUsage
  /** How many attempts were made, at all models together. */
  attempts?: number
  cause?: unknown
}

/** A completion, or another call to a provider, failed. `code` is the service's own code, else `kind`. */
export class ProviderError extends AirlockError {
  readonly kind: ProviderErrorKind
  declare readonly status?: number
  declare readonly retryAfterMs?: number
  declare readonly provider?: string
  declare readonly model?: string
  /** What had been delivered when it failed; not enumerable, so that logs do not hold conversations. */
  declare readonly partial: readonly CompletionEvent[]
  /** What the service had reported when it failed. */
  declare readonly usage?: TokenUsage
  /** How many attempts were made, at all models together. */
  declare readonly attempts?: number

  constructor(details: ProviderErrorDetails) {
    const {
      kind,
      message,
      status,
      providerCode,
      retryAfterMs,
      provider,
      model,
      partial,
      usage,
      attempts,
      cause,
    } = details
    super(providerCode ?? kind, message, cause === undefined ? undefined : { cause })
    this.kind = kind
    if (status !== undefined) this.status = status
    if (retryAfterMs !== undefined) this.retryAfterMs = retryAfterMs
    if (provider !== undefined) this.provider = provider
    if (model !== undefined) this.model = model
    if (usage !== undefined) this.usage = usage
    if (attempts !== undefined) this.attempts = attempts
    Object.defineProperty(this, 'partial', { value: partial ?? [], enumerable: false })
  }
}
