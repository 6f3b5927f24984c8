import type { ImageData, MessageContent } from '../contract/generated/interfaces/airlock-llm-llm-provider.js'
import type { CompletionRequest as GuestRequest } from '../contract/generated/interfaces/airlock-llm-provider.js'

// What services add around each message, and before the answer.
const TOKENS_PER_MESSAGE = 4
const TOKENS_BEFORE_ANSWER = 3
// Services scale images down to about a megapixel, and count a token for some 750 pixels.
const PIXELS_PER_TOKEN = 750
const MAX_IMAGE_TOKENS = 1_600
// A page of a document, text and picture, has about 2,000 tokens and 80 kB.
const FILE_BYTES_PER_TOKEN = 40
const BASE64_PER_BYTE = 4 / 3

// The tokenizer takes a time that grows with the square of a word's length: 13 s for 100,000 letters without a space.
// Cut into pieces of this, the same takes 0.1 s, and a text of words has a token more for each.
const PIECE_CHARS = 1_000
// Of a longer text this much is counted, in pieces all over it, and the rest is like it.
const MAX_COUNTED_CHARS = 200_000
// Other work of the thread gets its turn.
const SLICE_MS = 8

/** Tokens of a text by a tokenizer of a common model: within a tenth or so of what other models count. */
export async function estimateTextTokens(text: string, signal?: AbortSignal): Promise<number> {
  // Loaded where it is needed: its table has 2 MB.
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base')
  const pieces = Math.ceil(text.length / PIECE_CHARS)
  const step = Math.max(1, text.length / MAX_COUNTED_CHARS)
  let tokens = 0
  let counted = 0
  let sliceEnd = performance.now() + SLICE_MS
  for (let at = 0; at < pieces; at += step) {
    const from = Math.floor(at) * PIECE_CHARS
    const piece = text.slice(from, from + PIECE_CHARS)
    // A text may hold what the model reads as a mark of its own: here it is text.
    tokens += countTokens(piece, { disallowedSpecial: new Set() })
    counted += piece.length
    if (performance.now() < sliceEnd) continue
    await new Promise(setImmediate)
    signal?.throwIfAborted()
    sliceEnd = performance.now() + SLICE_MS
  }
  return counted === 0 ? 0 : Math.ceil((tokens * text.length) / counted)
}

/** Input tokens of a request: its text by a tokenizer, its media by their size. */
export async function estimateRequestTokens(request: GuestRequest, signal?: AbortSignal): Promise<number> {
  const frame = request.messages.length * TOKENS_PER_MESSAGE + TOKENS_BEFORE_ANSWER
  return (await estimateTextTokens(textOf(request), signal)) + mediaTokensOf(request) + frame
}

/** All text that the model reads. */
export function textOf({ messages, tools, responseFormat }: GuestRequest): string {
  return [
    ...tools.map(({ name, description, inputSchema }) => `${name} ${description} ${inputSchema}`),
    responseFormat?.schema ?? '',
    ...messages.flatMap(({ content }) => content.flatMap(textsOf)),
  ].join('\n')
}

/** Images and files. */
export function mediaTokensOf({ messages }: GuestRequest): number {
  let tokens = 0
  for (const { content } of messages) for (const part of content) tokens += tokensOfMedia(part)
  return tokens
}

function textsOf(part: MessageContent): string[] {
  switch (part.tag) {
    case 'text':
    case 'redacted-thinking':
    case 'reasoning-details':
    case 'provider-content':
      return [part.val]
    case 'thinking':
      return [part.val.text]
    case 'tool-use':
      return [part.val.name, part.val.input]
    case 'tool-result':
      return part.val.content.flatMap(inner => (inner.tag === 'text' ? [inner.val] : []))
    case 'image':
    case 'file':
      return []
    default:
      return part satisfies never
  }
}

function tokensOfMedia(part: MessageContent): number {
  if (part.tag === 'image') return imageTokens(part.val)
  if (part.tag === 'file') return Math.ceil(part.val.source.length / BASE64_PER_BYTE / FILE_BYTES_PER_TOKEN)
  if (part.tag !== 'tool-result') return 0
  return part.val.content.reduce(
    (sum, inner) => sum + (inner.tag === 'image' ? imageTokens(inner.val) : 0),
    0,
  )
}

function imageTokens({ width, height }: ImageData): number {
  if (width === undefined || height === undefined) return MAX_IMAGE_TOKENS
  return Math.min(MAX_IMAGE_TOKENS, Math.ceil((width * height) / PIXELS_PER_TOKEN))
}
