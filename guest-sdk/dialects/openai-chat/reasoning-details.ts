import type { Emit } from '../../events.ts'
import { isRecord } from '../../is-record.ts'

export interface ReasoningDetails {
  /** Takes the details of one chunk; returns their readable text. */
  push(details: unknown): string
  /** Emits what has come since the last time, as one `reasoning-details` event that holds a list. */
  flush(emit: Emit): void
}

/**
 * Reasoning blocks that must go back as the model made them. They arrive in fragments, and a signature covers a
 * whole block, so the fragments of one block are joined: same type, same index, one behind the other.
 */
export function createReasoningDetails(): ReasoningDetails {
  let blocks: Record<string, unknown>[] = []
  return {
    push(details) {
      let text = ''
      for (const detail of Array.isArray(details) ? details : [details]) {
        if (!isRecord(detail)) continue
        text += readableText(detail)
        const last = blocks.at(-1)
        if (last && isFragmentOf(last, detail)) appendFragment(last, detail)
        else blocks.push({ ...detail })
      }
      return text
    },
    flush(emit) {
      if (blocks.length === 0) return
      emit({ type: 'reasoning-details', data: JSON.stringify(blocks) })
      blocks = []
    },
  }
}

/** What grows from fragment to fragment; other fields stand in one fragment, or in each of them alike. */
const GROWING = ['text', 'summary', 'signature'] as const

function isFragmentOf(block: Record<string, unknown>, detail: Record<string, unknown>): boolean {
  if (block.type !== detail.type || block.index !== detail.index) return false
  if (detail.type !== 'reasoning.text' && detail.type !== 'reasoning.summary') return false
  // A signature ends its block, where no index says more.
  return block.index !== undefined || !isText(block.signature) || readableText(detail) === ''
}

function appendFragment(block: Record<string, unknown>, detail: Record<string, unknown>): void {
  for (const [field, value] of Object.entries(detail)) {
    const before = block[field]
    const grows = (GROWING as readonly string[]).includes(field)
    if (grows && isText(before) && typeof value === 'string') block[field] = before + value
    else if (grows ? isText(value) : (before ?? undefined) === undefined) define(block, field, value)
  }
}

function readableText(detail: Record<string, unknown>): string {
  if (typeof detail.text === 'string') return detail.text
  return typeof detail.summary === 'string' ? detail.summary : ''
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/** Defined, not assigned: `__proto__` is a name like any other. */
function define(target: Record<string, unknown>, field: string, value: unknown): void {
  Object.defineProperty(target, field, { value, enumerable: true, configurable: true, writable: true })
}
