import type { DeviceFlowPrompt } from '../oauth/device-flow.ts'
import type { WebAuthEvent } from '../oauth/web-auth.ts'

/** What happens while somebody signs in. Texts are for the user; none holds a secret. */
export type SignInEvent =
  | WebAuthEvent
  /** `prompt.userCode` is to be entered at `prompt.verificationUrl`, or confirmed there. */
  | { type: 'device-code'; prompt: DeviceFlowPrompt; expiresInMs: number }
  /** The service asked for longer pauses. */
  | { type: 'slowed-down'; intervalMs: number }
  /** The service could not be reached; it is asked again after this time. */
  | { type: 'retrying'; reason: string; waitMs: number }
  /** A credential is stored; now the service is asked for its models. */
  | { type: 'signed-in' }

/** What a guest may use of the user's attention: there only while its own sign-in runs. */
export interface SignInSession {
  readonly provider: string
  /** Only `sign-in` may use the browser. */
  readonly purpose: 'sign-in' | 'refresh' | 'sign-out'
  /** The option that was chosen. */
  readonly option: string | undefined
  /** Aborts when it is over, for whatever reason. Each session's own: calls are told apart by it. */
  readonly signal: AbortSignal
  readonly openBrowser: ((url: string) => Promise<unknown>) | undefined
  readonly readPasted: ((signal: AbortSignal) => Promise<string | undefined>) | undefined
  readonly progress: (event: SignInEvent) => void
  /** A credential was stored in it. */
  stored: boolean
  /** What went wrong on the host's side: the guest is told a sentence only. */
  failure: Error | undefined
  /** What is to be taken back when it is over. */
  onEnd(cleanUp: () => Promise<void>): void
}

export interface SignInSessionOptions extends Pick<SignInSession, 'provider' | 'purpose'> {
  option?: string | undefined
  signal?: AbortSignal | undefined
  openBrowser?: SignInSession['openBrowser']
  readPasted?: SignInSession['readPasted']
  progress?: SignInSession['progress'] | undefined
}

/** `end` takes everything back: nothing of the session does anything afterwards. */
export function beginSession(options: SignInSessionOptions): SignInSession & { end(): Promise<void> } {
  const { provider, purpose, option, openBrowser, readPasted, progress = () => {} } = options
  const over = new AbortController()
  const signal = AbortSignal.any([over.signal, ...(options.signal ? [options.signal] : [])])
  const cleanUps: (() => Promise<void>)[] = []
  return {
    provider,
    purpose,
    option,
    signal,
    openBrowser,
    readPasted,
    progress(event) {
      if (!over.signal.aborted) progress(event)
    },
    stored: false,
    failure: undefined,
    onEnd: cleanUp => void cleanUps.push(cleanUp),
    async end() {
      over.abort(new DOMException('The sign-in is over', 'AbortError'))
      await Promise.allSettled(cleanUps.map(cleanUp => cleanUp()))
    },
  }
}
