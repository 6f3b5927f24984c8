import { InvalidOptionError } from '../errors.ts'
import { readAuthUrl, stateOf } from './auth-url.ts'
import { allowedBrowserUrl, type BrowserPermission } from './browser-url.ts'
import { ignoredPage, overPage, type PageNames, receivedPage, refusedPage } from './callback-pages.ts'
import { type CallbackRequest, type IgnoredReason, judgeRequest } from './callback-request.ts'
import { type CallbackReply, createCallbackServer } from './callback-server.ts'
import { type CallbackPage, renderPage } from './page.ts'
import { readPastedRedirect } from './pasted-redirect.ts'
import { plainText } from './plain-text.ts'
import { SignInError } from './sign-in-error.ts'

export interface WebAuthOptions {
  /** What the user's browser opens, each `{port}` in it (also percent-encoded) replaced by the loopback port. */
  authUrl: string
  /** Where the redirect arrives, e.g. "/callback". */
  callbackPath: string
  /** Where the browser may be sent. */
  permission: BrowserPermission
  /** Default: 300,000; at most an hour. */
  timeoutMs?: number | undefined
  /** Starts a browser; may fail, or be absent: the URL is told with the event `visit` in any case. */
  openBrowser?: ((url: string) => Promise<unknown>) | undefined
  /**
   * Asks the user for the address that the browser ended on, or for `code#state`: for machines that the browser
   * cannot reach. Called again after an answer that was of no use. Undefined: the user offers no more. The signal
   * aborts when the sign-in is over, to take the question back.
   */
  readPasted?: ((signal: AbortSignal) => Promise<string | undefined>) | undefined
  onEvent?: ((event: WebAuthEvent) => void) | undefined
  /** Ends the sign-in with its reason and frees the port, also after an answer has come. */
  signal?: AbortSignal | undefined
  /** How the pages call the program that waits. Default: "Airlock". */
  appName?: string | undefined
}

/** In this order: `listening`, `visit`, then any number of the others; `received` is the last. */
export type WebAuthEvent =
  | { type: 'listening'; port: number }
  /** Show this URL always: a browser that opens may be the wrong one, or on a screen that nobody sees. */
  | { type: 'visit'; url: string }
  | { type: 'browser-opened' }
  /** No failure: the user can open the URL by hand. */
  | { type: 'browser-failed'; reason: string }
  /** Something came that was not the answer; the sign-in waits on. `message` is for the user. */
  | { type: 'ignored'; reason: IgnoredReason; message: string }
  /** What was pasted is of no use; `message` says what to paste. */
  | { type: 'paste-refused'; message: string }
  | { type: 'received'; by: 'browser' | 'paste' }

export interface WebAuthResult extends AsyncDisposable {
  /** The whole callback URL, query and all. */
  callbackUrl: string
  port: number
  /**
   * Frees the port. Until then, and for a minute at most, a browser that reloads or sends its request twice
   * gets the same page again. Close it when the extension has exchanged the code.
   */
  close(): Promise<void>
}

const DEFAULT_TIMEOUT_MS = 300_000
const MAX_TIMEOUT_MS = 3_600_000
// Long enough for a reload; the port is of no use to anybody afterwards.
const LINGER_MS = 60_000
// Whoever sends wrong states all the time must not fill the user's screen.
const MAX_REPORTS = 5
const MAX_PASTES = 100

/**
 * Signs in through the user's browser: listens on the loopback address, opens the authorization URL, and waits for
 * the redirect that brings the right state (RFC 8252, 7.3). Everything else that reaches the port is answered and
 * forgotten. Resolves when the browser has its page.
 *
 * An authorization URL without a state must have a PKCE challenge, see `stateOf`.
 *
 * @throws {SignInError} the service refused, the time is over, or the port cannot be had
 * @throws {PermissionDeniedError} the authorization URL's origin is not allowed
 */
export async function runWebAuth(options: WebAuthOptions): Promise<WebAuthResult> {
  const { onEvent, openBrowser, readPasted, signal, appName = 'Airlock' } = options
  const timeoutMs = readTimeout(options.timeoutMs)
  const path = readCallbackPath(options.callbackPath)
  const template = readAuthUrl(options.authUrl)
  signal?.throwIfAborted()

  let handle: ((request: CallbackRequest) => CallbackReply) | undefined
  const server = await createCallbackServer({
    port: template.fixedPort,
    ipv6: template.redirectHost !== '127.0.0.1',
    handle: request => handle?.(request) ?? { status: 404 },
  })
  const { port } = server
  const outcome = Promise.withResolvers<string>()
  outcome.promise.catch(() => {}) // It may fail before anybody waits for it.
  const over = new AbortController()
  const abort = () => outcome.reject(signal?.reason)
  signal?.addEventListener('abort', abort)
  const timer = setTimeout(() => outcome.reject(timedOut(timeoutMs, port)), timeoutMs)

  try {
    signal?.throwIfAborted()
    const url = allowedBrowserUrl(template.withPort(port), options.permission)
    const state = stateOf(url)
    const names: PageNames = { app: appName, service: plainText(url.host, 100) }
    const page = (status: number, content: CallbackPage | undefined): CallbackReply =>
      content === undefined ? { status } : { status, html: renderPage(content, appName) }
    let answered: { key: string | undefined } | undefined
    let reports = 0

    /** A listener that throws ends the sign-in: it is the caller's own error. */
    const report = (event: WebAuthEvent) => {
      try {
        onEvent?.(event)
      } catch (error) {
        outcome.reject(error)
      }
    }

    handle = request => {
      const verdict = judgeRequest(request, { path, port, state })
      if (verdict.kind === 'ignored') {
        if (answered === undefined && isTold(verdict.reason) && reports++ < MAX_REPORTS) {
          report({ type: 'ignored', reason: verdict.reason, message: describeIgnored(verdict.reason) })
        }
        return page(STATUS[verdict.reason], ignoredPage(names, verdict.reason))
      }
      if (answered !== undefined) {
        const again = verdict.kind === 'answer' && verdict.key === answered.key
        return again ? page(200, receivedPage(names)) : page(400, overPage(names))
      }
      if (verdict.kind === 'error') {
        answered = { key: undefined }
        const error = refusal(names.service, verdict)
        return {
          ...page(200, refusedPage(names, error.code === 'sign-in-denied', whatWasSaid(verdict))),
          flushed: () => outcome.reject(error),
        }
      }
      answered = { key: verdict.key }
      const callbackUrl = `http://${request.headers.host}${request.target}`
      return {
        ...page(200, receivedPage(names)),
        flushed() {
          report({ type: 'received', by: 'browser' })
          outcome.resolve(callbackUrl)
        },
      }
    }

    const takePasted = async (read: NonNullable<typeof readPasted>): Promise<void> => {
      for (let attempt = 0; attempt < MAX_PASTES; attempt++) {
        const text = await read(over.signal)
        if (text === undefined || answered !== undefined || over.signal.aborted) return
        const pasted = readPastedRedirect(text, state)
        if (pasted.kind === 'unusable') {
          report({ type: 'paste-refused', message: `Cannot use what was pasted: ${pasted.advice}` })
          continue
        }
        const { verdict } = pasted
        if (verdict.kind === 'error') {
          answered = { key: undefined }
          return outcome.reject(refusal(names.service, verdict))
        }
        answered = { key: verdict.key }
        report({ type: 'received', by: 'paste' })
        return outcome.resolve(`http://${template.redirectHost}:${port}${path}?${pasted.query}`)
      }
    }

    const startBrowser = async (open: NonNullable<typeof openBrowser>): Promise<void> => {
      let event: WebAuthEvent = { type: 'browser-opened' }
      try {
        await open(url.href)
      } catch (error) {
        event = { type: 'browser-failed', reason: plainText(messageOf(error), 300) }
      }
      if (!over.signal.aborted) report(event)
    }

    report({ type: 'listening', port })
    report({ type: 'visit', url: url.href })
    if (openBrowser) void startBrowser(openBrowser)
    // A question that fails (input was closed) leaves the browser's way open.
    if (readPasted) void takePasted(readPasted).catch(() => {})

    const callbackUrl = await outcome.promise
    const close = linger(server, signal)
    return { callbackUrl, port, close, [Symbol.asyncDispose]: close }
  } catch (error) {
    await server.close()
    throw error
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
    over.abort()
  }
}

/** Keeps answering for a while, without keeping the process. */
function linger(
  server: { unref(): void; close(): Promise<void> },
  signal: AbortSignal | undefined,
): () => Promise<void> {
  const close = () => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', closeSoon)
    return server.close()
  }
  const closeSoon = () => void close()
  const timer = setTimeout(closeSoon, LINGER_MS)
  timer.unref()
  server.unref()
  if (signal?.aborted) closeSoon()
  else signal?.addEventListener('abort', closeSoon)
  return close
}

const STATUS: Readonly<Record<IgnoredReason, number>> = {
  // RFC 9110, 15.5.20: this server does not speak for that host.
  'foreign-host': 421,
  prefetch: 204,
  preflight: 204,
  probe: 404,
  'other-path': 404,
  'other-method': 405,
  'missing-state': 400,
  'wrong-state': 400,
  'repeated-parameter': 400,
  incomplete: 400,
  'not-a-navigation': 400,
}

/** What browsers do on their own is not worth a word. */
function isTold(reason: IgnoredReason): boolean {
  return STATUS[reason] === 400
}

function describeIgnored(reason: IgnoredReason): string {
  const what =
    reason === 'wrong-state'
      ? 'An answer for another sign-in came, perhaps from an older tab'
      : reason === 'missing-state'
        ? 'An answer without the state of this sign-in came'
        : 'An answer came that is not complete'
  return `${what}; it was not used. Still waiting: finish in the tab that was opened last.`
}

function readTimeout(timeoutMs = DEFAULT_TIMEOUT_MS): number {
  if (Number.isFinite(timeoutMs) && timeoutMs > 0) return Math.min(timeoutMs, MAX_TIMEOUT_MS)
  throw new InvalidOptionError(
    `Cannot start sign-in: timeoutMs must be a positive number of milliseconds: current value is ${timeoutMs}`,
  )
}

/** As a browser sends it. */
function readCallbackPath(callbackPath: string): string {
  const url =
    callbackPath.startsWith('/') && !/[?#\s\u0000-\u001f]/.test(callbackPath)
      ? URL.parse(`http://127.0.0.1${callbackPath}`)
      : null
  if (url !== null) return url.pathname
  throw new SignInError(
    'sign-in-invalid-url',
    `Cannot start sign-in: the callback path must begin with "/" and hold no query and no white space: it is ${JSON.stringify(plainText(callbackPath, 80))}`,
  )
}

function timedOut(timeoutMs: number, port: number): SignInError {
  const seconds = Math.round(timeoutMs / 1000)
  return new SignInError(
    'sign-in-timed-out',
    `The sign-in was not finished within ${seconds} seconds. Start it again; where the browser cannot reach port ${port} of this machine (SSH, WSL, a container), paste the address that it ends on`,
  )
}

function refusal(service: string, said: { error: string; description: string | undefined }): SignInError {
  const denied = said.error === 'access_denied'
  return new SignInError(
    denied ? 'sign-in-denied' : 'sign-in-refused',
    `${service} ${denied ? 'did not allow the sign-in' : 'ended the sign-in'}: ${whatWasSaid(said)}`,
    { serviceCode: plainText(said.error, 100) },
  )
}

function whatWasSaid({ error, description }: { error: string; description: string | undefined }): string {
  const code = plainText(error, 100)
  const text = plainText(description ?? '', 500)
  return text === '' ? code : `${text} (${code})`
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
