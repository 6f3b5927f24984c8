/** The text of a prompt that `@vscode/prompt-tsx` rendered to JSON; anything else as JSON. */
export function promptText(value: unknown): string {
  if (typeof value === 'string') return value
  const node = isObject(value) ? value.node : undefined
  if (!isObject(node)) return JSON.stringify(value) ?? ''
  const lines: string[] = []
  readNode(node, lines, 0)
  return lines.join('').trim()
}

// Its kinds of nodes: 1 is an element with children, 2 is text, and others are opaque.
const ELEMENT = 1
const TEXT = 2
const MAX_DEPTH = 256

function readNode(node: unknown, lines: string[], depth: number): void {
  if (!isObject(node) || depth > MAX_DEPTH) return
  if (node.type === TEXT && typeof node.text === 'string') {
    if (node.lineBreakBefore && lines.length > 0) lines.push('\n')
    lines.push(node.text)
  } else if (node.type === ELEMENT && Array.isArray(node.children))
    for (const child of node.children) readNode(child, lines, depth + 1)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
