import { InvalidOptionError } from '../errors.ts'
import type { AirlockEvent, Happening } from './airlock-event.ts'
import { logCompletions, type WriteLine } from './log-completions.ts'
import { observeSafely } from './observe-safely.ts'
import type { CompletionObserver, Observer, RequestStart, RunObserver } from './observer.ts'
import { type OpenTelemetryOptions, observeWithOpenTelemetry } from './open-telemetry.ts'
import { createEventTeller } from './tell-events.ts'

export interface TelemetryOptions {
  openTelemetry: OpenTelemetryOptions | false | undefined
  onEvent: ((event: AirlockEvent) => void) | undefined
  /** Absent where nobody reads the log. */
  write: WriteLine | undefined
  warn(message: string): void
}

type WithWithin<Observing extends CompletionObserver> = Observing & Required<Pick<Observing, 'within'>>

/** All that watch one airlock. None of it throws: what an observer throws is logged once. */
export interface Telemetry {
  /** Of tools: those watch calls. */
  observers: readonly Observer[]
  /** `caller`: who watches this completion alone. */
  completion(start: RequestStart, caller?: CompletionObserver): WithWithin<CompletionObserver>
  run(start: RequestStart): WithWithin<RunObserver>
  tell(event: Happening): void
}

/** @throws {InvalidOptionError} */
export function createTelemetry({ openTelemetry = {}, onEvent, write, warn }: TelemetryOptions): Telemetry {
  checkOptions(openTelemetry, onEvent)
  const failed = (error: unknown) =>
    warn(`What observes completions failed: ${error instanceof Error ? error.message : String(error)}`)
  const events =
    onEvent &&
    createEventTeller(
      onEvent,
      once(error => warnOf('onEvent', error)),
    )
  const observers: Observer[] = []
  if (openTelemetry !== false) observers.push(observeWithOpenTelemetry(openTelemetry))
  if (events) observers.push(events.observer)
  if (write) observers.push(logCompletions(write))

  function warnOf(name: string, error: unknown) {
    const why = error instanceof Error ? error.message : String(error)
    warn(`What ${name} threw is dropped, this time and from now on: ${why}`)
  }

  function begin<Watching>(start: (observer: Observer) => Watching): (Watching | undefined)[] {
    return observers.map(observer => {
      try {
        return start(observer)
      } catch (error) {
        failed(error)
        return undefined
      }
    })
  }

  return {
    observers,
    completion: (start, caller) =>
      observeSafely([caller, ...begin(observer => observer.completion?.(start))], failed),
    run: start =>
      observeSafely(
        begin(observer => observer.run?.(start)),
        failed,
      ),
    tell: event => events?.tell(event),
  }
}

function once(call: (error: unknown) => void): (error: unknown) => void {
  let isCalled = false
  return error => {
    if (isCalled) return
    isCalled = true
    call(error)
  }
}

function checkOptions(openTelemetry: unknown, onEvent: unknown): void {
  if (onEvent !== undefined && typeof onEvent !== 'function')
    throw new InvalidOptionError(`Cannot use this onEvent: it must be a function: it is ${String(onEvent)}`)
  if (openTelemetry === false) return
  if (typeof openTelemetry !== 'object' || openTelemetry === null)
    throw new InvalidOptionError(
      `Cannot use this telemetry: it must be false or an object: it is ${String(openTelemetry)}`,
    )
  const { captureContent, ...unknown } = openTelemetry as Record<string, unknown>
  const [name] = Object.keys(unknown)
  if (name !== undefined)
    throw new InvalidOptionError(`Cannot use this telemetry: it has no option "${name}", only captureContent`)
  if (captureContent !== undefined && typeof captureContent !== 'boolean')
    throw new InvalidOptionError(
      `Cannot use telemetry.captureContent: it must be true or false: it is ${String(captureContent)}`,
    )
}
