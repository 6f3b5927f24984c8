/** How a bench server hands out the same answer. */
export const PACES = ['all at once', 'as fast as the socket goes', 'one a millisecond'] as const
export type Pace = (typeof PACES)[number]

export const CHUNKS = 2_000

/** The model ids that the server knows: one for each pace, and one that never ends. */
export const HOLD = 'hold'
export const modelOf = (pace: Pace): string => pace.replaceAll(' ', '-')

const words = ['The ', 'sandbox ', 'reads ', 'one ', 'more ', 'chunk', ', ', 'then ', 'waits', '. ']
const wordAt = (index: number): string => words[index % words.length] ?? ''

/** What a client must have read at the end; a contestant that loses a chunk has not won. */
export const TEXT = Array.from({ length: CHUNKS }, (_, index) => wordAt(index)).join('')

/** One server-sent event a chunk, as long as those of a real service. */
export const events: readonly string[] = Array.from({ length: CHUNKS }, (_, index) =>
  serverSentEvent({
    choices: [{ index: 0, delta: { content: wordAt(index) }, logprobs: null, finish_reason: null }],
  }),
)

/** What follows the chunks. */
export const closing = [
  serverSentEvent({ choices: [{ index: 0, delta: {}, logprobs: null, finish_reason: 'stop' }] }),
  serverSentEvent({
    choices: [],
    usage: { prompt_tokens: 12, completion_tokens: CHUNKS, total_tokens: CHUNKS + 12 },
  }),
  'data: [DONE]\n\n',
].join('')

function serverSentEvent(fields: object): string {
  const chunk = {
    id: 'chatcmpl-bench-0123456789abcdefghij',
    object: 'chat.completion.chunk',
    created: 1_760_000_000,
    model: 'bench-model',
    system_fingerprint: 'fp_0123456789',
    ...fields,
  }
  return `data: ${JSON.stringify(chunk)}\n\n`
}
