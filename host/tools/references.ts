/** A tool that a prompt names. */
export interface ToolReference {
  id: string
  /** Start and end in the prompt, UTF-16 units; the `#` is inside. */
  range: [start: number, end: number]
}

/**
 * The tools that a prompt names as `#<id>`. The last comes first, so that each can be replaced in the prompt without
 * moving the others. A `#` inside a word, or before what is no tool's id, is text.
 */
export function findToolReferences(
  prompt: string,
  tools: Iterable<string | { id: string }>,
): ToolReference[] {
  const known = new Set(Array.from(tools, tool => (typeof tool === 'string' ? tool : tool.id)))
  const found: ToolReference[] = []
  for (const { 1: name = '', index } of prompt.matchAll(/(?<![\p{L}\p{N}_#/&])#([A-Za-z0-9_-]+)/gu)) {
    // A dash may be the sentence's: "use #search- or not".
    const id = known.has(name) ? name : name.replace(/-+$/, '')
    if (known.has(id)) found.push({ id, range: [index, index + 1 + id.length] })
  }
  return found.reverse()
}
