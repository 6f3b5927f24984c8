import type { ToolUsePart } from './conversation.ts'

/** The longest id that is sent as it is; longer ones come from other services. */
const MAX_LENGTH = 64

/** The ids of a conversation's calls as the API takes them. */
export interface ToolIds {
  idOf(call: ToolUsePart): string
}

/**
 * The API takes letters, digits, `_` and `-`, and each id once. What fits stays; the rest gets an id that depends on
 * nothing but the calls up to it, so a conversation that grows keeps the ids, and the cache, of its beginning.
 */
export function createToolIds(): ToolIds {
  const ids = new Map<ToolUsePart, string>()
  const used = new Set<string>()
  return {
    idOf(call) {
      const known = ids.get(call)
      if (known !== undefined) return known
      const fitted = fitId(call.id)
      let id = fitted
      // Numbered inside the length, too: some services hold to it.
      for (let at = 2; used.has(id); at++) id = `${fitted.slice(0, MAX_LENGTH - 5)}-${at}`
      used.add(id)
      ids.set(call, id)
      return id
    },
  }
}

function fitId(id: string): string {
  if (/^[a-zA-Z0-9_-]+$/.test(id) && id.length <= MAX_LENGTH) return id
  const readable = id.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, MAX_LENGTH - 9)
  return `${readable || 'call'}_${hash(id)}`
}

/** Eight digits of FNV-1a: ids that differ in other letters only must stay apart. */
function hash(text: string): string {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193) >>> 0
  return value.toString(16).padStart(8, '0')
}
