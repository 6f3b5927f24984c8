import type { Citation, Emit, StopReason } from '../../events.ts'
import { isRecord } from '../../is-record.ts'
import { readText } from '../json-value.ts'
import { randomId } from '../random-id.ts'
import type { ToolNames } from '../tool-names.ts'
import { toRedactedDetails } from './opaque-parts.ts'

export interface Blocks {
  start(event: Record<string, unknown>): void
  delta(event: Record<string, unknown>, emit: Emit): void
  stop(index: unknown, emit: Emit): void
  /** The answer is over: what is still open is told. */
  finish(emit: Emit, reason: StopReason): void
  readonly hasCalls: boolean
}

interface ToolBlock {
  id: string
  name: string
  input: string
}

interface ThinkingBlock {
  signature: string
  redacted: string
}

const CUT_OFF: Partial<Record<StopReason, string>> = {
  'max-tokens': 'The answer reached its token limit inside these arguments: the call is incomplete.',
  'content-filter': 'A content filter ended the answer inside these arguments: the call is incomplete.',
}

/** The content blocks of one answer, by their index: text and thinking are announced by no start. */
export function createBlocks(names?: ToolNames): Blocks {
  const tools = new Map<unknown, ToolBlock>()
  const thinking = new Map<unknown, ThinkingBlock>()
  /** Calls whose arguments are nothing, or broken: what they are shows when the answer ends. */
  const doubtful: ToolBlock[] = []
  const ids = new Set<string>()

  function uniqueId(wanted: string | undefined): string {
    let id = wanted ?? randomId('tooluse_')
    while (ids.has(id)) id = randomId('tooluse_')
    ids.add(id)
    return id
  }

  function thinkingAt(index: unknown): ThinkingBlock {
    const block = thinking.get(index) ?? { signature: '', redacted: '' }
    thinking.set(index, block)
    return block
  }

  function readReasoning(reasoning: Record<string, unknown>, index: unknown, emit: Emit): void {
    const block = thinkingAt(index)
    const text = readText(reasoning.text)
    if (text !== undefined) emit({ type: 'thinking', text })
    // Signatures come in pieces, too.
    block.signature += readText(reasoning.signature) ?? ''
    block.redacted += readText(reasoning.redactedContent) ?? ''
  }

  function addInput(piece: string, tool: ToolBlock, emit: Emit): void {
    tool.input += piece
    if (tool.name !== '') emit({ type: 'tool-input-delta', id: tool.id, name: tool.name, delta: piece })
  }

  function stop(index: unknown, emit: Emit): void {
    const block = thinking.get(index)
    thinking.delete(index)
    if (block && block.redacted !== '') {
      emit({ type: 'reasoning-details', data: toRedactedDetails(block.redacted) })
    }
    if (block && block.signature !== '') emit({ type: 'thinking', text: '', signature: block.signature })
    const tool = tools.get(index)
    tools.delete(index)
    if (!tool) return
    if (tool.input.trim() === '' || tool.name === '' || jsonError(tool.input)) doubtful.push(tool)
    else emit({ type: 'tool-use', id: tool.id, name: tool.name, input: tool.input.toWellFormed() })
  }

  return {
    stop,
    get hasCalls() {
      return ids.size > 0
    },
    start({ start, contentBlockIndex: index }) {
      const toolUse = isRecord(start) && isRecord(start.toolUse) ? start.toolUse : undefined
      // What the service runs itself is no call of ours.
      if (!toolUse || toolUse.type === 'server_tool_use') return
      const name = readText(toolUse.name) ?? ''
      tools.set(index, {
        id: uniqueId(readText(toolUse.toolUseId)),
        name: names ? names.fromWire(name) : name,
        input: '',
      })
    },
    delta({ delta, contentBlockIndex: index }, emit) {
      if (!isRecord(delta)) return
      const text = readText(delta.text)
      if (text !== undefined) emit({ type: 'text', text })
      if (isRecord(delta.reasoningContent)) readReasoning(delta.reasoningContent, index, emit)
      const piece = isRecord(delta.toolUse) ? readText(delta.toolUse.input) : undefined
      const tool = tools.get(index)
      if (piece !== undefined && tool) addInput(piece, tool, emit)
      if (isRecord(delta.citation)) tellCitation(delta.citation, emit)
    },
    finish(emit, reason) {
      for (const index of new Set([...thinking.keys(), ...tools.keys()])) stop(index, emit)
      for (const tool of doubtful.splice(0)) tellDoubtful(tool, reason, emit)
    },
  }
}

function tellDoubtful({ id, name, input }: ToolBlock, reason: StopReason, emit: Emit): void {
  const fail = (error: string) =>
    emit({
      type: 'tool-use-json-parse-error',
      id,
      name: name || 'unknown',
      rawInput: input.toWellFormed(),
      error,
    })
  const cutOff = CUT_OFF[reason]
  if (name === '') fail('The service sent arguments for a tool that it did not name.')
  else if (cutOff !== undefined) fail(cutOff)
  else if (input.trim() !== '') fail(jsonError(input) ?? '')
  else {
    emit({ type: 'tool-input-delta', id, name, delta: '{}' })
    emit({ type: 'tool-use', id, name, input: '{}' })
  }
}

function tellCitation({ title, source, sourceContent, location }: Record<string, unknown>, emit: Emit): void {
  const told: Citation = {}
  const web = isRecord(location) && isRecord(location.web) ? location.web : {}
  const url = readText(web.url) ?? readText(source)
  const name = readText(title)
  const quoted = (Array.isArray(sourceContent) ? sourceContent : [])
    .flatMap(part => (isRecord(part) ? [readText(part.text) ?? ''] : []))
    .join('')
  if (url !== undefined) told.url = url
  if (name !== undefined) told.title = name
  if (quoted !== '') told.text = quoted
  if (Object.keys(told).length > 0) emit({ type: 'citation', ...told })
}

function jsonError(text: string): string | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
