import type { CompletionEvent } from '../../guest-sdk/events.ts'
import { createToolCallBuffer, type ToolCallDelta } from '../../guest-sdk/tool-call-buffer.ts'

export type Called = [id: string, name: string, input: string]

/** Feeds pieces to a buffer and finishes it. */
export function run(deltas: readonly ToolCallDelta[], cutOff?: string) {
  let made = 0
  const events: CompletionEvent[] = []
  const buffer = createToolCallBuffer(() => `new-${++made}`)
  for (const delta of deltas) buffer.push(delta, event => events.push(event))
  const isComplete = buffer.isComplete
  buffer.finish(event => events.push(event), cutOff)
  const calls = events.flatMap((event): Called[] =>
    event.type === 'tool-use' ? [[event.id, event.name, event.input]] : [],
  )
  const broken = events.flatMap((event): Called[] =>
    event.type === 'tool-use-json-parse-error' ? [[event.id, event.name, event.rawInput]] : [],
  )
  return { events, calls, broken, isComplete }
}
