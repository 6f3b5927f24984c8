import * as z from 'zod'
import type { CompletionEvent } from '../contract/events.ts'
import type { MessagePart } from '../contract/request.ts'

/** What only the service understands, and what it thought. */
type CarriedPart = Extract<
  MessagePart,
  { type: 'thinking' | 'redacted-thinking' | 'reasoning-details' | 'provider-content' }
>

/**
 * What stood before a call and has to stand there again when the call goes back: for conversations in which only text
 * and calls have a place.
 */
export interface Carried {
  /** Of the call itself. */
  thoughtSignature?: string
  /** In their order. `afterText`: some of the turn's text, or another call, came before it. */
  before: { part: CarriedPart; afterText: boolean }[]
}

const opaque = (type: 'redacted-thinking' | 'reasoning-details' | 'provider-content') =>
  z.strictObject({ type: z.literal(type), data: z.string() })

/** What was written down and read again. */
export const carriedParts: z.ZodType<Carried['before']> = z.array(
  z.strictObject({
    part: z.discriminatedUnion('type', [
      z.strictObject({
        type: z.literal('thinking'),
        text: z.string(),
        signature: z.string().exactOptional(),
      }),
      opaque('redacted-thinking'),
      opaque('reasoning-details'),
      opaque('provider-content'),
    ]),
    afterText: z.boolean(),
  }),
)

/** Reads the events of one answer. */
export function createCarrier() {
  let before: Carried['before'] = []
  let afterText = false
  return {
    see(event: CompletionEvent): void {
      switch (event.type) {
        case 'text':
          afterText = true
          break
        case 'thinking': {
          const { text, signature } = event
          const last = before.at(-1)?.part
          // A signature ends its block, which may have no text that the service shows.
          if (last?.type === 'thinking' && last.signature === undefined) {
            last.text += text
            if (signature !== undefined) last.signature = signature
          } else before.push({ part: { ...event }, afterText })
          break
        }
        case 'redacted-thinking':
        case 'reasoning-details':
        case 'provider-content':
          before.push({ part: { ...event }, afterText })
          break
      }
    },
    /** What belongs to this call, the next one after what was seen. */
    take(thoughtSignature: string | undefined): Carried {
      const taken = before
      before = []
      afterText = true
      return { ...(thoughtSignature !== undefined && { thoughtSignature }), before: taken }
    },
  }
}

/**
 * Puts the parts back into a turn that holds text, calls, or nothing yet: those that came before the text in front of
 * it, the others at the end. `from` is where the turn begins in `content`.
 */
export function placeCarried(content: MessagePart[], { before }: Carried, from: number): void {
  let at = from
  for (const { part, afterText } of before) {
    if (afterText) content.push(part)
    else content.splice(at++, 0, part)
  }
}
