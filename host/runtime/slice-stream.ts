import type { CompletionEvent, TokenUsage } from '../contract/events.ts'
import { type Completion, createCompletion } from './completion.ts'

const DOUBLE = { reference: 'test-double/slice-stream', providerReference: 'test-double' }

/**
 * A completion of fixed events, for tests of what reads one: no model is asked. Each event is there when a reader wants
 * it, so what is cancelled in between goes no further. It ends after the last, with `error` where one is given.
 */
export function sliceStream(events: Iterable<CompletionEvent>, error?: unknown): Completion {
  const coming = [...events]
  let usage: TokenUsage | undefined
  const source = createCompletion({
    usage: () => usage,
    answeredBy: () => DOUBLE,
    drained: () => {},
    cancelled: () => {},
    hungry(wanted) {
      do tellNext()
      while (wanted === 'whole' && !source.ended)
    },
  })

  function tellNext() {
    const event = coming.shift()
    if (event?.type === 'usage') {
      const { type: _, ...reported } = event
      usage = reported
    }
    if (event) source.push(event)
    // With the last: a reader that leaves there has read it all.
    if (coming.length > 0) return
    if (error === undefined) source.end()
    else source.end(error)
  }

  return source.completion
}
