import type { Emit } from '../../events.ts'
import { isRecord } from '../../is-record.ts'
import { createToolCallBuffer, type ToolCallBuffer } from '../../tool-call-buffer.ts'
import { objectText, parseJson, readText } from '../json-value.ts'
import type { ToolNames } from '../tool-names.ts'

/** One `function_call` item. Its arguments come in pieces, then whole, then once more with the item. */
export interface CallItem {
  push(piece: string, emit: Emit): void
  /** The arguments as a whole: what the pieces did not say of them. */
  complete(args: string, emit: Emit): void
  /** Tells the call. `cutOff` says why the answer broke off, where it did. */
  finish(emit: Emit, cutOff?: string): void
}

export interface CallItemOptions {
  names: ToolNames | undefined
  /** An id that is free: `wanted`, else another. */
  uniqueId: (wanted?: string) => string
}

/** A function of no request: the model writes several calls as the arguments of one. */
const PARALLEL = 'multi_tool_use.parallel'

/** @param item As it was announced: `call_id`, not the item's own `id`, is what its result must name. */
export function createCallItem(item: Record<string, unknown>, options: CallItemOptions): CallItem {
  const namespace = readText(item.namespace)
  const name = readText(item.name)
  const isParallel = name === PARALLEL || (namespace === 'multi_tool_use' && name === 'parallel')
  return isParallel ? createParallelCalls(item, options) : createSingleCall(item, options)
}

function createSingleCall(item: Record<string, unknown>, { names, uniqueId }: CallItemOptions): CallItem {
  const id = uniqueId(readText(item.call_id))
  const name = toolName(item.name, names)
  let text = ''
  let buffer = open()

  function open(args = ''): ToolCallBuffer {
    const opened = createToolCallBuffer(uniqueId)
    opened.push({ id, name, arguments: args }, () => {})
    return opened
  }

  function push(piece: string, emit: Emit): void {
    text += piece
    buffer.push({ id, arguments: piece }, emit)
  }

  return {
    push,
    complete(args, emit) {
      if (args.startsWith(text)) {
        if (args.length > text.length) push(args.slice(text.length), emit)
      } else if (parseJson(text) === undefined) {
        // Pieces got lost: what was told of them cannot be taken back, but the call can be right.
        text = args
        buffer = open(args)
      }
    },
    finish: (emit, cutOff) => buffer.finish(emit, cutOff),
  }
}

function createParallelCalls(item: Record<string, unknown>, { names, uniqueId }: CallItemOptions): CallItem {
  const id = readText(item.call_id)
  let text = ''
  return {
    push(piece) {
      text += piece
    },
    complete(args) {
      if (args !== '') text = args
    },
    finish(emit, cutOff) {
      const parsed = parseJson(text)
      const uses = isRecord(parsed) && Array.isArray(parsed.tool_uses) ? parsed.tool_uses : undefined
      if (uses === undefined) {
        const error = cutOff ?? 'The model wrote several calls as one, and they cannot be told apart.'
        emit({
          type: 'tool-use-json-parse-error',
          id: uniqueId(id),
          name: PARALLEL,
          rawInput: text.toWellFormed(),
          error,
        })
        return
      }
      uses.forEach((use: unknown, at) => {
        if (!isRecord(use)) return
        const buffer = createToolCallBuffer(uniqueId)
        const own = uniqueId(id === undefined ? undefined : `${id}_${at + 1}`)
        const given = use.parameters ?? use.arguments
        const field = use.parameters === undefined ? 'arguments' : 'parameters'
        const args = isRecord(given) ? objectText(given, text, ['tool_uses', at, field]) : given
        buffer.push({ id: own, name: toolName(use.recipient_name ?? use.name, names), arguments: args }, emit)
        buffer.finish(emit)
      })
    },
  }
}

/** As the request has it. Models put the namespace in front that the service shows them tools in. */
function toolName(value: unknown, names: ToolNames | undefined): string | undefined {
  const name = readText(value)?.replace(/^functions\./, '')
  return name === undefined || !names ? name : names.fromWire(name)
}
