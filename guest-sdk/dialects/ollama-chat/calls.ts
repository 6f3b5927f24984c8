import type { Emit } from '../../events.ts'
import { isRecord } from '../../is-record.ts'
import { objectText, readText } from '../json-value.ts'
import { randomId } from '../random-id.ts'

export interface Calls {
  /** One entry of `tool_calls`: `path` is its place in `line`. */
  read(call: unknown, line: string, path: readonly (string | number)[], emit: Emit): void
  readonly hasCalls: boolean
}

/**
 * Calls come whole, each once: two of one name in two lines are two calls. Arguments are an object; servers that
 * only look like this one send its text.
 */
export function createCalls(newId: () => string = () => randomId('call_')): Calls {
  const ids = new Set<string>()

  function uniqueId(wanted: string | undefined): string {
    let id = wanted ?? newId()
    while (ids.has(id)) id = newId()
    ids.add(id)
    return id
  }

  return {
    get hasCalls() {
      return ids.size > 0
    },
    read(call, line, path, emit) {
      if (!isRecord(call) || !isRecord(call.function)) return
      const { name: given, arguments: args } = call.function
      const id = uniqueId(readText(call.id))
      const name = readText(given)
      const input =
        typeof args === 'string' && !/^\s*(null\s*)?$/.test(args)
          ? args.toWellFormed()
          : objectText(args, line, [...path, 'function', 'arguments']).toWellFormed()
      const error =
        name === undefined ? 'The server sent arguments for a tool that it did not name.' : whyNoObject(input)
      if (name === undefined || error !== undefined) {
        const rawInput = typeof args === 'string' ? input : JSON.stringify(args ?? {})
        emit({ type: 'tool-use-json-parse-error', id, name: name ?? 'unknown', rawInput, error: error ?? '' })
        return
      }
      emit({ type: 'tool-input-delta', id, name, delta: input })
      emit({ type: 'tool-use', id, name, input })
    },
  }
}

function whyNoObject(text: string): string | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
