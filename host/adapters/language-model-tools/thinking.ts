import type { CompletionEvent } from '../../contract/events.ts'
import type { MessagePart } from '../../contract/request.ts'
import { LanguageModelThinkingPart } from './parts.ts'

/** Event of something that the model thought, or that only its service understands. */
type ThinkingEvent = Extract<
  CompletionEvent,
  { type: 'thinking' | 'redacted-thinking' | 'reasoning-details' | 'provider-content' }
>

const KEYS = {
  'redacted-thinking': 'redactedData',
  'reasoning-details': 'reasoningDetails',
  'provider-content': 'providerContent',
} as const

/** Whose it is goes along: another service takes no signature of this one. */
export function toThinkingPart(event: ThinkingEvent, provider: string): LanguageModelThinkingPart {
  if (event.type !== 'thinking')
    return new LanguageModelThinkingPart('', undefined, { [KEYS[event.type]]: event.data, provider })
  const { text, signature } = event
  const metadata = signature === undefined ? undefined : { signature, provider }
  return new LanguageModelThinkingPart(text, undefined, metadata)
}

/** The part of a message, and whose it is where that is known. */
export function fromThinkingPart({ value, metadata = {} }: LanguageModelThinkingPart): {
  part: MessagePart
  provider?: string
} {
  const provider = textOf(metadata.provider)
  const whose = provider === undefined ? {} : { provider }
  for (const [type, key] of Object.entries(KEYS) as [keyof typeof KEYS, string][]) {
    const data = textOf(metadata[key])
    if (data !== undefined) return { part: { type, data }, ...whose }
  }
  const signature = textOf(metadata.signature)
  const text = Array.isArray(value) ? value.join('') : value
  return { part: { type: 'thinking', text, ...(signature !== undefined && { signature }) }, ...whose }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
