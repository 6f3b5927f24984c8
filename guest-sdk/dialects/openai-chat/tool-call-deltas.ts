import { isRecord } from '../../is-record.ts'
import type { ToolCallDelta } from '../../tool-call-buffer.ts'
import { toChatSignature } from '../call-signature.ts'
import { sourceTextAt } from '../source-text.ts'

/**
 * The pieces of tool calls in a delta or a message.
 * @param data The frame's text, and `path` the place of `delta` in it.
 */
export function readToolCalls(
  delta: Record<string, unknown>,
  data: string,
  path: readonly (string | number)[],
): ToolCallDelta[] {
  const { tool_calls, function_call } = delta
  // The form before there were several calls: no id, no index.
  if (!tool_calls) {
    return isRecord(function_call) ? [{ name: function_call.name, arguments: function_call.arguments }] : []
  }
  const calls: readonly unknown[] = Array.isArray(tool_calls) ? tool_calls : [tool_calls]
  return calls.flatMap((call, at): ToolCallDelta[] => {
    if (!isRecord(call)) return []
    const named = isRecord(call.function) ? call.function : call
    let args = named.arguments
    if (isRecord(args) && LONG_NUMBER.test(data)) {
      args = sourceTextAt(data, [...path, 'tool_calls', at, 'function', 'arguments']) ?? args
    }
    const thoughtSignature = readSignature(call)
    return [
      {
        id: call.id,
        index: call.index,
        name: named.name,
        arguments: args,
        ...(thoughtSignature !== undefined && { thoughtSignature }),
      },
    ]
  })
}

/** Digits that a number may lose in parsing. */
const LONG_NUMBER = /\d{16}/

function readSignature(call: Record<string, unknown>): string | undefined {
  const extra = isRecord(call.extra_content) ? call.extra_content.google : undefined
  const signature = isRecord(extra) ? extra.thought_signature : undefined
  return typeof signature === 'string' && signature !== '' ? toChatSignature(signature) : undefined
}
