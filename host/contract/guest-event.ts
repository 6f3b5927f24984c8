import type { ProviderErrorDetails } from '../errors.ts'
import { type CompletionEvent, STOP_REASONS, type StopReason, type TokenUsage } from './events.ts'
import { readProviderError } from './guest-values.ts'

/** What a guest may say in a stream: an event, a call whose arguments are still coming, or that it failed here. */
export type GuestEvent =
  | CompletionEvent
  | { type: 'incomplete-tool-use'; id: string; name: string; input: string }
  | { type: 'failed'; error: ProviderErrorDetails }

/**
 * Reads one `completion-event` as it came out of the sandbox. The component brings its own types, so nothing of it
 * is taken on trust, and only what is checked is copied.
 * @throws {TypeError} naming what does not fit.
 */
export function readGuestEvent(value: unknown): GuestEvent {
  const { tag, val } = value as { tag?: unknown; val?: unknown }
  switch (tag) {
    case 'text':
      return { type: 'text', text: text(val, tag) }
    case 'thinking': {
      const fields = record(val, tag)
      return {
        type: 'thinking',
        text: text(fields.text, tag),
        ...optional('signature', optionalText(fields.signature, tag)),
      }
    }
    case 'tool-input-delta': {
      const fields = record(val, tag)
      return {
        type: tag,
        id: text(fields.toolUseId, tag),
        name: text(fields.toolName, tag),
        delta: text(fields.delta, tag),
      }
    }
    case 'tool-use': {
      const fields = record(val, tag)
      const call = { id: text(fields.id, tag), name: text(fields.name, tag), input: text(fields.input, tag) }
      if (fields.isInputComplete === false) return { type: 'incomplete-tool-use', ...call }
      return {
        type: tag,
        ...call,
        ...optional('thoughtSignature', optionalText(fields.thoughtSignature, tag)),
      }
    }
    case 'started':
      return { type: tag }
    case 'response-metadata': {
      const fields = record(val, tag)
      return {
        type: tag,
        ...optional('id', optionalText(fields.id, tag)),
        ...optional('model', optionalText(fields.model, tag)),
      }
    }
    case 'redacted-thinking':
    case 'reasoning-details':
    case 'provider-content':
      return { type: tag, data: text(val, tag) }
    case 'tool-use-json-parse-error': {
      const fields = record(val, tag)
      return {
        type: tag,
        id: text(fields.id, tag),
        name: text(fields.toolName, tag),
        rawInput: text(fields.rawInput, tag),
        error: text(fields.error, tag),
      }
    }
    case 'image': {
      const fields = record(val, tag)
      return {
        type: tag,
        source: text(fields.source, tag),
        ...optional('mediaType', optionalText(fields.mediaType, tag)),
        ...optional('width', optionalCount(fields.width, tag)),
        ...optional('height', optionalCount(fields.height, tag)),
      }
    }
    case 'citation': {
      const fields = record(val, tag)
      return {
        type: tag,
        ...optional('url', optionalText(fields.url, tag)),
        ...optional('title', optionalText(fields.title, tag)),
        ...optional('text', optionalText(fields.text, tag)),
      }
    }
    case 'usage':
      return { type: tag, ...readUsage(val) }
    case 'stop':
      return { type: tag, reason: STOP_REASONS.includes(val as StopReason) ? (val as StopReason) : 'other' }
    case 'failed':
      return { type: tag, error: readProviderError(val) }
    default:
      throw new TypeError(`an event of the unknown kind ${JSON.stringify(tag)?.slice(0, 100)}`)
  }
}

function readUsage(value: unknown): TokenUsage {
  const fields = record(value, 'usage')
  return {
    inputTokens: optionalCount(fields.inputTokens, 'usage') ?? 0,
    outputTokens: optionalCount(fields.outputTokens, 'usage') ?? 0,
    ...optional('cacheCreationInputTokens', optionalCount(fields.cacheCreationInputTokens, 'usage')),
    ...optional('cacheReadInputTokens', optionalCount(fields.cacheReadInputTokens, 'usage')),
    ...optional('reasoningTokens', optionalCount(fields.reasoningTokens, 'usage')),
    ...optional('totalTokens', optionalCount(fields.totalTokens, 'usage')),
  }
}

function optional<Key extends string, Value>(key: Key, value: Value | undefined): { [K in Key]?: Value } {
  return value === undefined ? {} : ({ [key]: value } as { [K in Key]: Value })
}

function text(value: unknown, tag: string): string {
  if (typeof value !== 'string') throw new TypeError(`a ${tag} event with ${typeof value} where text belongs`)
  return value
}

function optionalText(value: unknown, tag: string): string | undefined {
  return value === undefined ? undefined : text(value, tag)
}

/** WIT's u64 arrives as bigint, u32 as number. What no number can count exactly counts as the largest that can. */
function optionalCount(value: unknown, tag: string): number | undefined {
  if (value === undefined) return undefined
  if (typeof value !== 'bigint' && typeof value !== 'number') {
    throw new TypeError(`a ${tag} event with ${typeof value} where a count belongs`)
  }
  const number = Number(value)
  return Number.isNaN(number) ? 0 : Math.min(Math.max(0, number), Number.MAX_SAFE_INTEGER)
}

function record(value: unknown, tag: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new TypeError(`a ${tag} event with no fields`)
  return value as Record<string, unknown>
}
