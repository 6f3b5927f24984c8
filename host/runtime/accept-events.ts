import type { CompletionEvent } from '../contract/events.ts'
import { readGuestEvent } from '../contract/guest-event.ts'
import type { OrderLaw } from '../contract/order-law.ts'
import { ExtensionError, ProviderError, type ProviderErrorDetails } from '../errors.ts'
import type { AttemptSink } from './attempt-sink.ts'
import type { ExtensionHost } from './extension-host.ts'

// The events of one group are handed on in slices of this, so that other work of the thread gets its turn.
const SLICE_MS = 8
const EVENTS_BETWEEN_LOOKS = 128

/**
 * Reads groups of a guest's events for one answer, and hands on what they mean.
 * @throws {ProviderError} where the guest says that the answer failed.
 * @throws {ExtensionError} `extension-stopped` past the bounds of one answer.
 * @throws {TypeError} for what does not fit the contract.
 */
export function createAcceptor(
  law: OrderLaw,
  sink: AttemptSink,
  { id, limits: { answerEvents, answerUnits } }: Pick<ExtensionHost, 'id' | 'limits'>,
  explain: (failure: ProviderErrorDetails) => ProviderErrorDetails = failure => failure,
): (events: readonly unknown[]) => Promise<void> {
  let count = 0
  let units = 0

  function push(event: CompletionEvent) {
    count++
    units += unitsOf(event)
    sink.push(event)
    if (count <= answerEvents && units <= answerUnits) return
    const what = count > answerEvents ? `${answerEvents} events` : `${answerUnits} characters`
    throw new ExtensionError(
      'extension-stopped',
      id,
      `Extension "${id}" gave more than ${what} in one answer, and the answer was stopped`,
    )
  }

  return async events => {
    let sliceEnd = performance.now() + SLICE_MS
    for (let index = 0; index < events.length; index++) {
      const failed = law.accept(readGuestEvent(events[index]), push)
      if (failed) throw new ProviderError(explain(failed))
      if (index % EVENTS_BETWEEN_LOOKS !== 0 || index === 0 || performance.now() < sliceEnd) continue
      await new Promise(setImmediate)
      if (sink.ended) return
      sliceEnd = performance.now() + SLICE_MS
    }
  }
}

function unitsOf(event: CompletionEvent): number {
  let units = 0
  for (const value of Object.values(event)) if (typeof value === 'string') units += value.length
  return units
}
