import { setTimeout as sleep } from 'node:timers/promises'
import type { DeviceFlow, DeviceFlowStatus } from '../contract/generated/interfaces/airlock-llm-provider.js'
import { raced } from '../contract/raced.ts'
import { ProviderError, TransportError } from '../errors.ts'
import { allowedBrowserUrl, type BrowserPermission } from './browser-url.ts'
import { plainText } from './plain-text.ts'
import { SignInError } from './sign-in-error.ts'

export interface DeviceFlowOptions {
  /** The extension asks its service for a code. */
  start(signal: AbortSignal): Promise<DeviceFlow>
  /** The extension asks its service once whether the user has confirmed; `state` is what `start` gave. */
  poll(state: string, signal: AbortSignal): Promise<DeviceFlowStatus>
  /** Where the browser may be sent. */
  permission: BrowserPermission
  /** Starts a browser; may fail, or be absent: the prompt shows the URL in any case. */
  openBrowser?: ((url: string) => Promise<unknown>) | undefined
  onEvent?: ((event: DeviceFlowEvent) => void) | undefined
  /** Ends the sign-in at once with its reason. */
  signal?: AbortSignal | undefined
  /** For tests. Default: this machine's monotonic clock. */
  clock?: DeviceFlowClock | undefined
}

export interface DeviceFlowClock {
  /** Milliseconds that never jump: the user may set the machine's time while the code runs. */
  now(): number
  sleep(ms: number, signal: AbortSignal): Promise<unknown>
}

/** `prompt` first; returning is success, and the prompt's own success texts fit then. */
export type DeviceFlowEvent =
  | { type: 'prompt'; prompt: DeviceFlowPrompt; expiresInMs: number }
  | { type: 'browser-opened' }
  /** No failure: the user can open the URL by hand, on any device. */
  | { type: 'browser-failed'; reason: string }
  /** The service asked for longer pauses. */
  | { type: 'slowed-down'; intervalMs: number }
  /** The service could not be reached; it is asked again after this time. */
  | { type: 'retrying'; reason: string; waitMs: number }

/** Plain text in all fields: no control characters, nothing invisible. */
export interface DeviceFlowPrompt {
  userCode: string
  /** http(s), of an allowed origin. */
  verificationUrl: string
  headline: string
  description: string
  connectButtonLabel: string
  successHeadline: string
  successMessage: string
}

// RFC 8628, 3.2: "If no value is provided, clients MUST use 5 as the default."
const DEFAULT_INTERVAL_MS = 5_000
// RFC 8628, 3.5: slow_down raises the interval by 5 seconds "for this and all subsequent requests".
const SLOW_DOWN_MS = 5_000
// Growth by repeated slow_down and by failures ends here: a user who has confirmed waits no longer than this.
const MAX_GROWN_MS = 60_000
// A service may name a longer pause itself, but not one that outlasts every code.
const MAX_INTERVAL_MS = 300_000
// What services without a usable expires_in mean; GitHub's and Google's are 15 and 30 minutes.
const DEFAULT_EXPIRY_MS = 900_000
const MAX_EXPIRY_MS = 3_600_000

const MACHINE_CLOCK: DeviceFlowClock = {
  now: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
}

/**
 * Runs a device authorization (RFC 8628): shows the prompt, opens the verification page, and polls on the interval,
 * waiting once before the first poll, until the user confirms, declines, or the code expires.
 *
 * Failures of the network back off and go on. Errors that the extension reports end it, those of RFC 8628 each with
 * a message of its own.
 *
 * @throws {SignInError} denied, expired, refused, or a URL that may not be opened
 * @throws {PermissionDeniedError} the verification URL's origin is not allowed
 */
export async function runDeviceFlow(options: DeviceFlowOptions): Promise<DeviceFlowPrompt> {
  const { onEvent, openBrowser, clock = MACHINE_CLOCK } = options
  const over = new AbortController()
  const signal = options.signal ? AbortSignal.any([options.signal, over.signal]) : over.signal
  /** What an extension does with a signal is its affair: whoever cancels does not wait for it. */
  const orAborted = <T>(work: Promise<T>) => raced(work, signal)

  try {
    signal.throwIfAborted()
    const requestedAt = clock.now()
    const flow = await orAborted(options.start(signal))
    const prompt = readPrompt(flow, options.permission)
    const expiresInMs = readSeconds(flow.expiresInSecs, DEFAULT_EXPIRY_MS, MAX_EXPIRY_MS)
    const expiresAt = requestedAt + expiresInMs
    let intervalMs = readSeconds(flow.pollIntervalSecs, DEFAULT_INTERVAL_MS, MAX_INTERVAL_MS)
    let failures = 0

    onEvent?.({ type: 'prompt', prompt, expiresInMs })
    if (openBrowser) {
      const report = (event: DeviceFlowEvent) => {
        if (!signal.aborted) onEvent?.(event)
      }
      // A listener that throws ends the sign-in: it is the caller's own error.
      startBrowser(openBrowser, prompt.verificationUrl, report).catch(error => over.abort(error))
    }

    let waitMs = intervalMs
    for (;;) {
      const leftMs = expiresAt - clock.now()
      if (leftMs > 0) await orAborted(clock.sleep(Math.min(waitMs, leftMs), signal))
      if (clock.now() >= expiresAt) throw expired()
      let status: DeviceFlowStatus
      try {
        status = await untilExpiry(options.poll(flow.state, signal))
      } catch (error) {
        signal.throwIfAborted()
        const pauseMs = retryPause(error, intervalMs, failures)
        if (pauseMs === undefined) throw describeFailure(error)
        failures++
        waitMs = pauseMs
        onEvent?.({ type: 'retrying', reason: plainText(messageOf(error), 300), waitMs })
        continue
      }
      failures = 0
      switch (status.tag) {
        case 'complete':
          return prompt
        case 'slow-down':
          intervalMs = slowDown(intervalMs, status.val)
          onEvent?.({ type: 'slowed-down', intervalMs })
          break
        case 'pending':
          break
        default:
          status satisfies never
      }
      waitMs = intervalMs
    }

    /** A poll that hangs must not outlive the code. */
    async function untilExpiry<T>(work: Promise<T>): Promise<T> {
      const timer = new AbortController()
      const stop = AbortSignal.any([signal, timer.signal])
      const late = clock.sleep(Math.max(0, expiresAt - clock.now()), stop).then(() => {
        throw expired()
      })
      try {
        return await orAborted(Promise.race([work, late]))
      } finally {
        timer.abort()
        late.catch(() => {})
        work.catch(() => {})
      }
    }
  } finally {
    over.abort()
  }
}

/** A service may ask for a longer interval than five seconds more, never for a shorter one. */
function slowDown(intervalMs: number, givenSecs: number): number {
  const grown = Math.max(intervalMs, Math.min(intervalMs + SLOW_DOWN_MS, MAX_GROWN_MS))
  return Math.max(grown, readSeconds(givenSecs, 0, MAX_INTERVAL_MS))
}

/** RFC 8628, 3.5: back off exponentially where the network fails. Undefined for what no repeat mends. */
function retryPause(error: unknown, intervalMs: number, failures: number): number | undefined {
  if (!isTransient(error)) return undefined
  const backedOff = Math.max(intervalMs, Math.min(intervalMs * 2 ** (failures + 1), MAX_GROWN_MS))
  const asked = error instanceof ProviderError ? (error.retryAfterMs ?? 0) : 0
  return Math.max(backedOff, Math.min(asked, MAX_INTERVAL_MS))
}

function isTransient(error: unknown): boolean {
  if (error instanceof TransportError) return true
  if (!(error instanceof ProviderError) || Object.hasOwn(ENDS, error.code)) return false
  return ['network', 'overloaded', 'rate-limited'].includes(error.kind) || (error.status ?? 0) >= 500
}

const ENDS: Readonly<Record<string, readonly [SignInError['code'], string]>> = {
  access_denied: ['sign-in-denied', 'The sign-in was declined. Nothing was stored'],
  authorization_declined: ['sign-in-denied', 'The sign-in was declined. Nothing was stored'],
  expired_token: [
    'sign-in-expired',
    'The code expired before it was confirmed. Start signing in again for a new one',
  ],
  incorrect_device_code: [
    'sign-in-refused',
    'The service does not know this sign-in any more. Start signing in again',
  ],
  device_flow_disabled: [
    'sign-in-refused',
    'The service has device sign-in switched off for this client. Use another way to sign in',
  ],
  incorrect_client_credentials: [
    'sign-in-refused',
    'The service does not know the client id of this extension. Its author has to mend that',
  ],
}

/** The ends that RFC 8628 and GitHub name, each in its own words; anything else as it is. */
function describeFailure(error: unknown): unknown {
  if (!(error instanceof ProviderError)) return error
  const [code, message] = Object.hasOwn(ENDS, error.code) ? (ENDS[error.code] ?? []) : []
  if (code === undefined || message === undefined) return error
  return new SignInError(code, message, { serviceCode: error.code, cause: error })
}

function expired(): SignInError {
  const [code, message] = ENDS.expired_token!
  return new SignInError(code, message)
}

function readPrompt({ prompt }: DeviceFlow, permission: BrowserPermission): DeviceFlowPrompt {
  const userCode = plainText(prompt.userCode, 64)
  if (userCode === '') {
    throw new SignInError('sign-in-refused', 'Cannot sign in: the service gave no code to enter')
  }
  // Unlike the auth URL it comes from a service: stray characters in it are dropped, as they are in the code.
  const url = allowedBrowserUrl(plainText(prompt.verificationUrl, 2048).replaceAll(' ', ''), permission)
  return {
    userCode,
    verificationUrl: url.href,
    headline: plainText(prompt.headline, 200),
    description: plainText(prompt.description, 1000),
    connectButtonLabel: plainText(prompt.connectButtonLabel, 100),
    successHeadline: plainText(prompt.successHeadline, 200),
    successMessage: plainText(prompt.successMessage, 1000),
  }
}

/** Zero, below zero and what is no number mean nothing, so the default holds. */
function readSeconds(seconds: unknown, defaultMs: number, mostMs: number): number {
  if (typeof seconds !== 'number' || !Number.isFinite(seconds) || seconds <= 0) return defaultMs
  return Math.min(seconds * 1000, mostMs)
}

async function startBrowser(
  open: (url: string) => Promise<unknown>,
  url: string,
  report: (event: DeviceFlowEvent) => void,
): Promise<void> {
  let event: DeviceFlowEvent = { type: 'browser-opened' }
  try {
    await open(url)
  } catch (error) {
    event = { type: 'browser-failed', reason: plainText(messageOf(error), 300) }
  }
  report(event)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
