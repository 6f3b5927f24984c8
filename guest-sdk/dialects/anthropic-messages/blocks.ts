import type { Citation, Emit } from '../../events.ts'
import { isRecord } from '../../is-record.ts'
import { objectText, parseJson, readText } from '../json-value.ts'
import { randomId } from '../random-id.ts'
import { sourceTextAt } from '../source-text.ts'
import type { ToolNames } from '../tool-names.ts'
import { toCitationDetails, toProviderContent } from './opaque-blocks.ts'

/** Puts the content blocks of one answer together, each by its own index: they may come interleaved. */
export interface Blocks {
  /** @param path Where in `data`, the frame's text, the block stands. */
  start(event: Record<string, unknown>, data: string, path: readonly (string | number)[], emit: Emit): void
  delta(event: Record<string, unknown>, emit: Emit): void
  stop(index: unknown, emit: Emit): void
  /** The answer is over: what was not stopped is told now. */
  finish(emit: Emit): void
}

type Block =
  | { kind: 'text'; length: number; citations: unknown[] }
  | { kind: 'thinking'; signature: string; text: string }
  | { kind: 'tool'; id: string; name: string; given: string; input: string }
  | { kind: 'opaque'; type: string; json: string; input: string; added: Record<string, string> }

export function createBlocks(names?: ToolNames): Blocks {
  const open = new Map<unknown, Block>()
  let latest: unknown

  function start(
    event: Record<string, unknown>,
    data: string,
    path: readonly (string | number)[],
    emit: Emit,
  ): void {
    const block = event.content_block
    if (!isRecord(block)) return
    const { index } = event
    // One that was never stopped.
    if (open.has(index)) stop(index, emit)
    latest = index
    switch (block.type) {
      case 'text': {
        const text = { kind: 'text' as const, length: 0, citations: [] }
        open.set(index, text)
        addText(text, block.text, emit)
        if (Array.isArray(block.citations)) for (const citation of block.citations) cite(text, citation, emit)
        return
      }
      case 'thinking': {
        const text = readText(block.thinking) ?? ''
        open.set(index, { kind: 'thinking', signature: readText(block.signature) ?? '', text })
        if (text !== '') emit({ type: 'thinking', text })
        return
      }
      case 'redacted_thinking':
        emit({ type: 'redacted-thinking', data: String(block.data ?? '') })
        return
      case 'tool_use': {
        const name = readText(block.name) ?? ''
        open.set(index, {
          kind: 'tool',
          id: readText(block.id) ?? randomId('toolu_'),
          name: names ? names.fromWire(name) : name,
          given: objectText(block.input, data, [...path, 'input']),
          input: '',
        })
        return
      }
      default:
        open.set(index, {
          kind: 'opaque',
          type: String(block.type),
          json: sourceTextAt(data, path) ?? JSON.stringify(block),
          input: '',
          added: {},
        })
    }
  }

  function delta({ index, delta }: Record<string, unknown>, emit: Emit): void {
    if (!isRecord(delta)) return
    const block = open.get(index ?? latest)
    if (block === undefined) {
      // A block that nobody announced: what reads as text is not lost.
      if (delta.type === 'text_delta' && readText(delta.text))
        emit({ type: 'text', text: String(delta.text) })
      if (delta.type === 'thinking_delta' && readText(delta.thinking)) {
        emit({ type: 'thinking', text: String(delta.thinking) })
      }
      return
    }
    switch (block.kind) {
      case 'text':
        if (delta.type === 'text_delta') addText(block, delta.text, emit)
        else if (delta.type === 'citations_delta') cite(block, delta.citation, emit)
        return
      case 'thinking': {
        const text = readText(delta.thinking)
        // Signatures come in pieces, too.
        block.signature += readText(delta.signature) ?? ''
        if (text === undefined) return
        block.text += text
        emit({ type: 'thinking', text })
        return
      }
      case 'tool': {
        const piece = readText(delta.partial_json)
        if (piece === undefined) return
        block.input += piece
        emit({ type: 'tool-input-delta', id: block.id, name: block.name, delta: piece })
        return
      }
      case 'opaque':
        for (const [field, value] of Object.entries(delta)) {
          if (field === 'type' || typeof value !== 'string') continue
          if (field === 'partial_json') block.input += value
          else block.added[field] = (block.added[field] ?? '') + value
        }
        return
      default:
        block satisfies never
    }
  }

  function stop(index: unknown, emit: Emit): void {
    const key = index ?? latest
    const block = open.get(key)
    if (block === undefined) return
    open.delete(key)
    switch (block.kind) {
      case 'text':
        if (block.citations.length > 0) emit({ type: 'reasoning-details', data: toCitationDetails(block) })
        return
      case 'thinking':
        if (block.signature !== '') emit({ type: 'thinking', text: '', signature: block.signature })
        return
      case 'tool':
        stopTool(block, emit)
        return
      case 'opaque':
        emit({ type: 'provider-content', data: toProviderContent(block.type, completeOpaque(block)) })
        return
      default:
        block satisfies never
    }
  }

  return {
    start,
    delta,
    stop,
    finish(emit) {
      for (const index of [...open.keys()]) stop(index, emit)
    },
  }
}

function addText(block: Block & { kind: 'text' }, value: unknown, emit: Emit): void {
  const text = readText(value)
  if (text === undefined) return
  block.length += text.length
  emit({ type: 'text', text })
}

function cite(block: Block & { kind: 'text' }, citation: unknown, emit: Emit): void {
  if (!isRecord(citation)) return
  block.citations.push(citation)
  const told: Citation = {}
  const url = readText(citation.url) ?? readText(citation.source)
  const title = readText(citation.title) ?? readText(citation.document_title)
  const text = readText(citation.cited_text)
  if (url !== undefined) told.url = url
  if (title !== undefined) told.title = title
  if (text !== undefined) told.text = text
  if (Object.keys(told).length > 0) emit({ type: 'citation', ...told })
}

function stopTool({ id, name, given, input }: Block & { kind: 'tool' }, emit: Emit): void {
  const isBlank = input.trim() === ''
  const text = isBlank ? given : input.toWellFormed()
  const error = jsonError(text)
  if (name === '') {
    const reason = 'The service sent arguments for a tool that it did not name.'
    emit({ type: 'tool-use-json-parse-error', id, name: 'unknown', rawInput: text, error: reason })
  } else if (error !== undefined) {
    emit({ type: 'tool-use-json-parse-error', id, name, rawInput: text, error })
  } else {
    if (isBlank) emit({ type: 'tool-input-delta', id, name, delta: text })
    emit({ type: 'tool-use', id, name, input: text })
  }
}

function jsonError(text: string): string | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** The block as it started, with what came after it put in. */
function completeOpaque({ json, input, added }: Block & { kind: 'opaque' }): string {
  const additions = Object.entries(added)
  if (input.trim() === '' && additions.length === 0) return json
  const block = parseJson(json)
  if (!isRecord(block)) return json
  const fields = Object.keys(block).map(field => [field, sourceTextAt(json, [field]) ?? 'null'] as const)
  const written = new Map<string, string>(fields)
  if (parseJson(input) !== undefined) written.set('input', input.trim())
  for (const [field, text] of additions) {
    const before = typeof block[field] === 'string' ? (block[field] as string) : ''
    written.set(field, JSON.stringify(before + text))
  }
  return `{${[...written].map(([field, text]) => `${JSON.stringify(field)}:${text}`).join(',')}}`
}
