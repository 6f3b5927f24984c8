import { createToolIds, type ToolIds } from '../tool-ids.ts'
import type { ToolNames } from '../tool-names.ts'
import type { Content } from './encode-media.ts'
import type { ItemOrigin } from './opaque-items.ts'
import type { ResponsesRules } from './rules.ts'

/** One item of `input`; `opaque` ones are written as they came. */
export type InputItem = Record<string, unknown> & { type: string; opaque?: unknown }

export interface InputOptions extends ItemOrigin {
  rules: ResponsesRules
  names: ToolNames
  warn: (message: string) => void
}

export interface Encoder extends InputOptions {
  ids: ToolIds
  /** The last block that may carry a breakpoint. */
  last: Content | undefined
  /** Blocks where a cache anchor stands, in order. */
  anchors: Content[]
}

export function createEncoder(options: InputOptions): Encoder {
  return { ...options, ids: createToolIds(), last: undefined, anchors: [] }
}

export function message(role: 'user' | 'developer' | 'system', content: Content[]): InputItem {
  return { type: 'message', role, content }
}

export function textContent(text: string): Content[] {
  return text === '' ? [] : [{ type: 'input_text', text }]
}

/** Keeps where breakpoints may stand. An anchor on what takes none moves to the block before. */
export function push(blocks: Content[], anchor: boolean, encoder: Encoder): Content[] {
  encoder.last = blocks.at(-1) ?? encoder.last
  if (anchor && encoder.last && encoder.anchors.at(-1) !== encoder.last) encoder.anchors.push(encoder.last)
  return blocks
}
