import type { CompletionEvent } from '../../contract/events.ts'
import type { AttemptSink } from '../attempt-sink.ts'
import type { TextFilter } from './text-filter.ts'

/** Hands on what an event of the service means to the caller. One for each attempt. */
export type EventMapper = (event: CompletionEvent, emit: (event: CompletionEvent) => void) => void

/** Sends the text of an answer through a filter. */
export function createTextMapper(filter: TextFilter): EventMapper {
  return (event, emit) => {
    if (event.type === 'text') {
      const text = filter.push(event.text)
      if (text !== '') emit({ type: 'text', text })
      return
    }
    if (event.type === 'usage' || event.type === 'stop') {
      const text = filter.end()
      if (text !== '') emit({ type: 'text', text })
    }
    emit(event)
  }
}

export function inTurn(first: EventMapper, second: EventMapper): EventMapper {
  return (event, emit) => first(event, mapped => second(mapped, emit))
}

/** A sink that gets what the mapper makes of the events. */
export function mapInto(sink: AttemptSink, mapper: EventMapper | undefined): AttemptSink {
  if (!mapper) return sink
  return {
    push: event => mapper(event, sink.push),
    get ended() {
      return sink.ended
    },
    get full() {
      return sink.full
    },
    beforeUsage: sink.beforeUsage,
  }
}
