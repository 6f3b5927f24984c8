import type * as wit from 'airlock:llm/llm-provider@0.1.0'
import type { Sent } from '../contract/wit.ts'
import type { CompletionEvent, Emit, StopReason } from '../events.ts'
import { count, object, oneOf, optionalCount, optionalText, text, wrong } from './wit-value.ts'

export type WitEvent = Sent<wit.CompletionEvent>

const STOP_REASONS: readonly StopReason[] = [
  'end-turn',
  'max-tokens',
  'stop-sequence',
  'tool-use',
  'refusal',
  'content-filter',
  'other',
]

/** Collects what a decoder emits, as the contract has it. */
export interface EventWriter {
  readonly emit: Emit
  /** A `stop` has been emitted. */
  readonly stopped: boolean
  /** How many events wait to be taken. */
  readonly waiting: number
  take(): WitEvent[]
  /** Gives up waiting for other halves of characters: the answer ends here. */
  flush(): void
}

/**
 * Called for every event of every stream: no allocation but the event itself.
 * Half a surrogate pair at the end of a delta waits for its other half, since the boundary carries only
 * whole characters.
 */
export function createEventWriter(): EventWriter {
  let events: WitEvent[] = []
  let stopped = false
  let halves: Map<string, string> | undefined
  // Whether `halves` holds any: asked for every event.
  let holding = false

  /** `delta` as far as it is whole, with what was held back before it. */
  const whole = (channel: string, delta: string): string => {
    const held = halves?.get(channel)
    const joined = held === undefined ? delta : held + delta
    const last = joined.charCodeAt(joined.length - 1)
    if (last >= 0xd800 && last <= 0xdbff) {
      halves ??= new Map()
      halves.set(channel, joined.slice(-1))
      holding = true
      return joined.slice(0, -1).toWellFormed()
    }
    if (held !== undefined && halves !== undefined) {
      halves.delete(channel)
      holding = halves.size > 0
    }
    return joined.toWellFormed()
  }

  const flush = (): void => {
    if (halves === undefined || !holding) return
    for (const channel of halves.keys()) {
      if (channel === 'text') events.push({ tag: 'text', val: '\ufffd' })
      // A call's whole arguments follow as `tool-use`, and half a character of thought is no loss.
    }
    halves.clear()
    holding = false
  }

  const emit = (event: CompletionEvent): void => {
    switch (event.type) {
      case 'text': {
        let value = event.text
        if (typeof value !== 'string') throw wrong('text of a "text" event', 'a string', value)
        if (holding || !value.isWellFormed()) value = whole('text', value)
        if (value !== '') events[events.length] = { tag: 'text', val: value }
        return
      }
      case 'tool-input-delta': {
        let delta = event.delta
        if (typeof delta !== 'string') throw wrong('delta of a "tool-input-delta" event', 'a string', delta)
        const id = text(event.id, 'id of a "tool-input-delta" event')
        if (holding || !delta.isWellFormed()) {
          delta = whole(`tool ${id}`, delta)
          if (delta === '') return
        }
        events.push({
          tag: 'tool-input-delta',
          val: { toolUseId: id, toolName: text(event.name, 'name of a "tool-input-delta" event'), delta },
        })
        return
      }
      case 'thinking': {
        let value = event.text
        if (typeof value !== 'string') throw wrong('text of a "thinking" event', 'a string', value)
        const signature = optionalText(event.signature, 'signature of a "thinking" event')
        if (holding || !value.isWellFormed()) value = whole('thinking', value)
        if (value !== '' || signature !== undefined) {
          events.push({ tag: 'thinking', val: { text: value, signature } })
        }
        return
      }
      case 'stop':
        flush()
        events.push({ tag: 'stop', val: oneOf(event.reason, STOP_REASONS, 'reason of a "stop" event') })
        stopped = true
        return
      default:
        events.push(toWitEvent(event))
    }
  }

  return {
    emit,
    get stopped() {
      return stopped
    },
    get waiting() {
      return events.length
    },
    take() {
      const taken = events
      events = []
      return taken
    },
    flush,
  }
}

type RareEvent = Exclude<CompletionEvent, { type: 'text' | 'tool-input-delta' | 'thinking' | 'stop' }>

function toWitEvent(event: RareEvent): WitEvent {
  switch (event.type) {
    case 'started':
      return { tag: 'started' }
    case 'response-metadata':
      return {
        tag: 'response-metadata',
        val: {
          id: optionalText(event.id, 'id of a "response-metadata" event'),
          model: optionalText(event.model, 'model of a "response-metadata" event'),
        },
      }
    case 'usage':
      return { tag: 'usage', val: toWitUsage(event) }
    case 'tool-use':
      return {
        tag: 'tool-use',
        val: {
          id: text(event.id, 'id of a "tool-use" event'),
          name: text(event.name, 'name of a "tool-use" event'),
          input: text(event.input, 'input of a "tool-use" event'),
          isInputComplete: event.isInputComplete !== false,
          thoughtSignature: optionalText(event.thoughtSignature, 'thoughtSignature of a "tool-use" event'),
        },
      }
    case 'tool-use-json-parse-error':
      return {
        tag: 'tool-use-json-parse-error',
        val: {
          id: text(event.id, 'id of a "tool-use-json-parse-error" event'),
          toolName: text(event.name, 'name of a "tool-use-json-parse-error" event'),
          rawInput: text(event.rawInput, 'rawInput of a "tool-use-json-parse-error" event'),
          error: text(event.error, 'error of a "tool-use-json-parse-error" event'),
        },
      }
    case 'image':
      return {
        tag: 'image',
        val: {
          source: text(event.source, 'source of an "image" event'),
          mediaType: optionalText(event.mediaType, 'mediaType of an "image" event'),
          width: optionalCount(event.width, 'width of an "image" event', 0xffffffff),
          height: optionalCount(event.height, 'height of an "image" event', 0xffffffff),
        },
      }
    case 'citation':
      return {
        tag: 'citation',
        val: {
          url: optionalText(event.url, 'url of a "citation" event'),
          title: optionalText(event.title, 'title of a "citation" event'),
          text: optionalText(event.text, 'text of a "citation" event'),
        },
      }
    case 'redacted-thinking':
    case 'reasoning-details':
    case 'provider-content':
      return { tag: event.type, val: text(event.data, `data of a "${event.type}" event`) }
    default: {
      const unknown: { type?: unknown } = object(event satisfies never, 'an event')
      throw new TypeError(
        `Cannot emit an event of type "${String(unknown.type)}": the contract has none of that name`,
      )
    }
  }
}

function toWitUsage(usage: Extract<CompletionEvent, { type: 'usage' }>): Sent<wit.TokenUsage> {
  const field = (name: string) => `${name} of a "usage" event`
  return {
    inputTokens: count(usage.inputTokens, field('inputTokens')),
    outputTokens: count(usage.outputTokens, field('outputTokens')),
    cacheCreationInputTokens: optionalCount(
      usage.cacheCreationInputTokens,
      field('cacheCreationInputTokens'),
    ),
    cacheReadInputTokens: optionalCount(usage.cacheReadInputTokens, field('cacheReadInputTokens')),
    reasoningTokens: optionalCount(usage.reasoningTokens, field('reasoningTokens')),
    totalTokens: optionalCount(usage.totalTokens, field('totalTokens')),
  }
}
