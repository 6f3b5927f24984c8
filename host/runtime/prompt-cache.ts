import type { CacheConfiguration } from '../contract/models.ts'
import type { parseRequest } from '../contract/request.ts'

type ParsedRequest = ReturnType<typeof parseRequest>
type Message = ParsedRequest['messages'][number]

// Characters of a token, in languages that need many: an anchor that caches nothing costs nothing.
const CHARS_PER_TOKEN = 3

/**
 * Sets cache anchors where they pay: after the instructions, which all conversations share, and after the last two
 * turns of the user, of which the earlier is what the request before this one has cached. Anchors that the caller set
 * stay as they are, and nothing is added to them.
 */
export function placeCacheAnchors(
  messages: readonly Message[],
  { maxCacheAnchors, minTotalTokenCount }: CacheConfiguration,
): Message[] {
  const isMarked = messages.some(message => message.cache !== undefined)
  if (isMarked || maxCacheAnchors === 0) return [...messages]
  const sizes = sizesUpTo(messages)
  const wanted = [
    messages.findLastIndex(({ role }) => role === 'user'),
    lastOfSystem(messages),
    userTurnBeforeLast(messages),
  ].filter(index => index >= 0 && sizes[index]! >= minTotalTokenCount * CHARS_PER_TOKEN)
  const anchors = new Set(wanted.slice(0, maxCacheAnchors))
  return messages.map((message, index) => (anchors.has(index) ? { ...message, cache: true } : message))
}

/** Instructions that stand at the beginning. */
function lastOfSystem(messages: readonly Message[]): number {
  const end = messages.findIndex(({ role }) => role !== 'system')
  return (end < 0 ? messages.length : end) - 1
}

function userTurnBeforeLast(messages: readonly Message[]): number {
  const last = messages.findLastIndex(({ role }) => role === 'user')
  const answerBefore = messages.slice(0, Math.max(0, last)).findLastIndex(({ role }) => role === 'assistant')
  return messages.slice(0, Math.max(0, answerBefore)).findLastIndex(({ role }) => role === 'user')
}

/** Up to each message, it included: characters of text, and of media what their text form has. */
function sizesUpTo(messages: readonly Message[]): number[] {
  let size = 0
  return messages.map(({ content }) => {
    if (typeof content === 'string') size += content.length
    else for (const part of content) size += JSON.stringify(part).length
    return size
  })
}
