import type { MessagePart, parseRequest } from '../contract/request.ts'

type ParsedRequest = ReturnType<typeof parseRequest>
type ParsedPart = Exclude<ParsedRequest['messages'][number]['content'], string>[number]

// By identity, and only as long as the caller keeps the part: what was written down and read again has no known maker.
const makers = new WeakMap<object, string>()

/** Keeps who made the parts of an answer. */
export function rememberMaker(parts: readonly MessagePart[], provider: string): void {
  for (const part of parts) makers.set(part, provider)
}

/**
 * The request without what only another provider understands: signatures, redacted thinking, reasoning details and
 * blocks of its own. Parts whose maker is not known stay as they are.
 * @param asked as the caller handed it over, which `request` is the checked copy of
 */
export function withoutForeignParts(request: ParsedRequest, asked: unknown, provider: string): ParsedRequest {
  let changed = false
  const messages = request.messages.map((message, at) => {
    if (message.role !== 'assistant' || typeof message.content === 'string') return message
    const content = message.content.flatMap((part, place) => {
      const maker = makerOf(asked, at, place)
      if (maker === undefined || maker === provider) return [part]
      changed = true
      return withoutOpaque(part)
    })
    return { ...message, content }
  })
  return changed ? { ...request, messages } : request
}

function makerOf(asked: unknown, at: number, place: number): string | undefined {
  const part = (asked as { messages?: { content?: object[] }[] }).messages?.[at]?.content?.[place]
  return part && makers.get(part)
}

function withoutOpaque(part: ParsedPart): ParsedPart[] {
  switch (part.type) {
    case 'redacted-thinking':
    case 'reasoning-details':
    case 'provider-content':
      return []
    case 'thinking': {
      const { signature: _, ...rest } = part
      return [rest]
    }
    case 'tool-use': {
      const { thoughtSignature: _, ...rest } = part
      return [rest]
    }
    default:
      return [part]
  }
}
