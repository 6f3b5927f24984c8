import { randomUUID } from 'node:crypto'
import type { ProviderErrorDetails } from '../errors.ts'
import type { CompletionEvent, StopReason, TokenUsage } from './events.ts'
import type { GuestEvent } from './guest-event.ts'

/** Holds a guest's events to the law that is written on `CompletionEvent`, whatever the guest did. */
export interface OrderLaw {
  /**
   * Hands on what the event means to the caller. Returns the failure where the guest said that it failed.
   * @throws {TypeError} where the guest broke the law in a way that cannot be mended.
   */
  accept(event: GuestEvent, emit: (event: CompletionEvent) => void): ProviderErrorDetails | undefined
  /** True from the guest's `stop` on. What may still come is usage. */
  readonly stopped: boolean
  /** What the service has reported so far. */
  readonly usage: TokenUsage | undefined
  /** The end of the body. Returns false where nothing has said why the answer ended: then it is not complete. */
  end(emit: (event: CompletionEvent) => void): boolean
}

// The longest answer of any model has half of it. JSON of a megabyte can be a quarter of a million arrays, whose
// parsing takes 20 ms of the main thread.
const MAX_INPUT_UNITS = 1024 * 1024

type BrokenCall = CompletionEvent & { type: 'tool-use-json-parse-error' }

export function createOrderLaw(): OrderLaw {
  let started = false
  let stop: StopReason | undefined
  let usage: TokenUsage | undefined
  let toolUses = 0
  // Whether a call is broken or was cut off is known when the reason of the end is.
  const broken: BrokenCall[] = []
  const incomplete = new Map<string, { id: string; name: string; input: string }>()
  const ids = createUniqueIds()

  function acceptToolUse(event: GuestEvent & { type: 'tool-use' }, emit: (event: CompletionEvent) => void) {
    incomplete.delete(event.id)
    const input = event.input.trim() === '' ? '{}' : event.input
    const id = ids.close(event.id)
    const error = jsonError(input)
    if (error !== undefined) {
      broken.push({ type: 'tool-use-json-parse-error', id, name: event.name, rawInput: event.input, error })
      return
    }
    toolUses++
    emit({ ...event, id, input })
  }

  return {
    accept(event, emit) {
      if (event.type === 'usage') {
        const { type, ...reported } = event
        usage = { ...usage, ...reported }
        return undefined
      }
      if (event.type === 'failed') return event.error
      if (stop !== undefined) throw new TypeError(`a ${event.type} event after stop`)
      if (!started) {
        started = true
        emit({ type: 'started' })
      }
      switch (event.type) {
        case 'started':
          return undefined
        case 'stop':
          stop = event.reason
          return undefined
        case 'tool-input-delta':
          if (event.delta !== '') emit({ ...event, id: ids.open(event.id) })
          return undefined
        case 'incomplete-tool-use':
          incomplete.set(event.id, event)
          return undefined
        case 'tool-use':
          acceptToolUse(event, emit)
          return undefined
        case 'tool-use-json-parse-error':
          incomplete.delete(event.id)
          broken.push({ ...event, id: ids.close(event.id) })
          return undefined
        case 'text':
          if (event.text !== '') emit(event)
          return undefined
        default:
          emit(event)
          return undefined
      }
    },
    get stopped() {
      return stop !== undefined
    },
    get usage() {
      return usage
    },
    end(emit) {
      if (stop === undefined) return false
      for (const { id, name, input } of incomplete.values()) {
        const error = 'the answer ended before the arguments of this call were complete'
        broken.push({ type: 'tool-use-json-parse-error', id: ids.close(id), name, rawInput: input, error })
      }
      const cutOff = stop === 'max-tokens' || stop === 'content-filter'
      for (const call of broken) {
        emit(
          cutOff
            ? { ...call, error: `the answer was cut off (${stop}) inside the arguments of this call` }
            : call,
        )
      }
      if (usage) emit({ type: 'usage', ...usage })
      // Several services say that the turn ended where it ended in calls.
      emit({ type: 'stop', reason: stop === 'end-turn' && toolUses > 0 ? 'tool-use' : stop })
      return true
    },
  }
}

/** Ids as callers see them: the service's own where it is usable, and never the same for two calls of one answer. */
function createUniqueIds() {
  const used = new Set<string>()
  const current = new Map<string, string>()

  function open(id: string): string {
    const present = current.get(id)
    if (present !== undefined) return present
    const unique = id.trim() === '' || used.has(id) ? `call_${randomUUID().replaceAll('-', '')}` : id
    used.add(unique)
    current.set(id, unique)
    return unique
  }

  return {
    open,
    close(id: string): string {
      const unique = open(id)
      current.delete(id)
      return unique
    },
  }
}

function jsonError(text: string): string | undefined {
  if (text.length > MAX_INPUT_UNITS) return `the arguments have more than ${MAX_INPUT_UNITS} characters`
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
