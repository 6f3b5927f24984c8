import { findToolReferences } from '../../tools/references.ts'

/** A tool that the user named in a prompt, or attached to it. */
export interface ChatLanguageModelToolReference {
  /** The tool's. */
  readonly id: string
  readonly name: string
  /** Start and end in the prompt, UTF-16 units; the `#` is inside. Absent for one that was attached. */
  readonly range?: readonly [start: number, end: number]
}

/** What a user asked. */
export interface ChatRequest {
  readonly prompt: string
  /** The last of the prompt comes first, so that each can be replaced without moving the others. */
  readonly toolReferences: readonly ChatLanguageModelToolReference[]
}

/**
 * A prompt with the tools that it names as `#<id>`, and after them those that the user attached otherwise.
 * @param tools those that can be named, e.g. `lm.tools`
 */
export function createChatRequest(
  prompt: string,
  tools: Iterable<string | { readonly id: string }>,
  attached: Iterable<string | { readonly id: string }> = [],
): ChatRequest {
  const named = findToolReferences(prompt, tools).map(({ id, range }) =>
    Object.freeze({ id, name: id, range }),
  )
  const ids = new Set(Array.from(attached, tool => (typeof tool === 'string' ? tool : tool.id)))
  const others = [...ids]
    .filter(id => named.every(one => one.id !== id))
    .map(id => Object.freeze({ id, name: id }))
  return Object.freeze({ prompt, toolReferences: Object.freeze([...named, ...others]) })
}
