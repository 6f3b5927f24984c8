import type { Expectation } from '../upstream/expectation.ts'

const service = { id: 'chatcmpl-7Kq', model: 'acme-1' }

/** Streams in the OpenAI chat dialect that we wrote ourselves: what services have been seen to do, one habit a file. */
export const streams: Record<string, Expectation> = {
  'text.sse': {
    ...service,
    text: 'Two and two is four.\n\n- 4\n- "four"\t\\',
    usage: {
      inputTokens: 11,
      outputTokens: 10,
      cacheReadInputTokens: 8,
      reasoningTokens: 0,
      totalTokens: 21,
    },
    stop: 'end-turn',
  },
  // The last three chunks hold one emoji, a half in each of two of them.
  'unicode.sse': {
    ...service,
    text: 'éß 好的 😀👩‍👩‍👧 e\u0301 שלום \u2028\ufeff𝔘half: 🚀!',
    usage: { inputTokens: 9, outputTokens: 14, totalTokens: 23 },
    stop: 'end-turn',
  },
  'crlf-comments-heartbeats.sse': {
    ...service,
    text: 'Over CRLF',
    usage: { inputTokens: 5, outputTokens: 2, totalTokens: 7 },
    stop: 'end-turn',
  },
  'bare-cr.sse': {
    ...service,
    text: 'Bare CR',
    usage: { inputTokens: 4, outputTokens: 2, totalTokens: 6 },
    stop: 'end-turn',
  },
  'mixed-line-ends.sse': {
    ...service,
    text: 'mixed ends',
    usage: { inputTokens: 4, outputTokens: 2, totalTokens: 6 },
    stop: 'end-turn',
  },
  'several-data-lines.sse': {
    ...service,
    text: 'pretty printed',
    usage: { inputTokens: 3, outputTokens: 2, totalTokens: 5 },
    stop: 'end-turn',
  },
  'byte-order-mark.sse': {
    ...service,
    text: 'After the mark',
    usage: { inputTokens: 3, outputTokens: 3, totalTokens: 6 },
    stop: 'end-turn',
  },
  'tool-call.sse': {
    ...service,
    text: '',
    // A number that no double can hold: arguments stay text.
    toolUses: [{ id: 'call_a1', name: 'get_weather', input: '{"city":"Zürich","n":12345678901234567890}' }],
    usage: { inputTokens: 60, outputTokens: 18, totalTokens: 78 },
    stop: 'tool-use',
  },
  // Finishes with `stop` although a tool is to be called.
  'text-then-tool-call.sse': {
    ...service,
    text: 'Let me look. ',
    toolUses: [{ id: 'call_b1', name: 'look', input: '{"what":"sky"}' }],
    usage: { inputTokens: 60, outputTokens: 9, totalTokens: 69 },
    stop: 'tool-use',
  },
  'parallel-interleaved-calls.sse': {
    ...service,
    text: '',
    toolUses: [
      { id: 'call_0', name: 'add', input: '{"a":1,"b":2}' },
      { id: 'call_1', name: 'add', input: '{"a":10,"b":20}' },
      { id: 'call_2', name: 'now', input: '{}' },
    ],
    usage: { inputTokens: 90, outputTokens: 30, totalTokens: 120 },
    stop: 'tool-use',
  },
  'calls-in-one-chunk.sse': {
    ...service,
    text: '',
    toolUses: [
      { id: 'call_0', name: 'add', input: '{"a":1,"b":2}' },
      { id: 'call_1', name: 'add', input: '{"a":3,"b":4}' },
    ],
    usage: { inputTokens: 80, outputTokens: 22, totalTokens: 102 },
    stop: 'tool-use',
  },
  'calls-without-index.sse': {
    ...service,
    text: '',
    toolUses: [
      { id: 'call_x', name: 'get_weather', input: '{"city":"Rome"}' },
      { id: 'call_y', name: 'get_time', input: '{"zone":"CET"}' },
    ],
    usage: { inputTokens: 70, outputTokens: 20, totalTokens: 90 },
    stop: 'tool-use',
  },
  'sparse-indexes.sse': {
    ...service,
    text: '',
    toolUses: [
      { id: 'call_x', name: 'first', input: '{"n":1}' },
      { id: 'call_y', name: 'second', input: '{"n":2}' },
    ],
    usage: { inputTokens: 70, outputTokens: 20, totalTokens: 90 },
    stop: 'tool-use',
  },
  'blank-ids-and-names.sse': {
    ...service,
    text: '',
    toolUses: [{ id: 'call_q', name: 'search', input: '{"q":"blue sky"}' }],
    usage: { inputTokens: 50, outputTokens: 12, totalTokens: 62 },
    stop: 'tool-use',
  },
  'id-on-every-chunk.sse': {
    ...service,
    text: '',
    toolUses: [{ id: 'call_r', name: 'search', input: '{"q":12}' }],
    usage: { inputTokens: 50, outputTokens: 12, totalTokens: 62 },
    stop: 'tool-use',
  },
  'arguments-as-object.sse': {
    ...service,
    text: '',
    toolUses: [{ id: 'call_o', name: 'search', input: '{"q":"sky","n":2}' }],
    usage: { inputTokens: 50, outputTokens: 12, totalTokens: 62 },
    stop: 'tool-use',
  },
  'arguments-absent-null-empty.sse': {
    ...service,
    text: '',
    toolUses: ['call_1', 'call_2', 'call_3'].map(id => ({ id, name: 'now', input: '{}' })),
    usage: { inputTokens: 50, outputTokens: 12, totalTokens: 62 },
    stop: 'tool-use',
  },
  'reasoning.sse': {
    ...service,
    text: '12',
    thinking: 'Carry the one.',
    usage: { inputTokens: 14, outputTokens: 9, reasoningTokens: 5, totalTokens: 23 },
    stop: 'end-turn',
  },
  // `reasoning` and `reasoning_content` with the same text in each chunk: one of them counts.
  'reasoning-twice-then-call.sse': {
    ...service,
    text: '',
    thinking: 'Use it.',
    toolUses: [{ id: 'call_t', name: 'use', input: '{}' }],
    usage: { inputTokens: 20, outputTokens: 7, totalTokens: 27 },
    stop: 'tool-use',
  },
  'cut-in-arguments.sse': {
    ...service,
    text: 'I will ',
    brokenCalls: [{ id: 'call_c', name: 'write', rawInput: '{"text":"once upon' }],
    usage: { inputTokens: 30, outputTokens: 16, totalTokens: 46 },
    stop: 'max-tokens',
  },
  'broken-arguments.sse': {
    ...service,
    text: '',
    brokenCalls: [{ id: 'call_d', name: 'write', rawInput: '{"text": once}' }],
    usage: { inputTokens: 30, outputTokens: 8, totalTokens: 38 },
    stop: 'tool-use',
  },
  'content-filter.sse': {
    ...service,
    text: 'How to',
    usage: { inputTokens: 8, outputTokens: 2, totalTokens: 10 },
    stop: 'content-filter',
  },
  'unheard-of-finish-reason.sse': {
    ...service,
    text: 'Well',
    usage: { inputTokens: 8, outputTokens: 1, totalTokens: 9 },
    stop: 'other',
  },
  'blank-finish-reasons.sse': {
    ...service,
    text: 'not yet done',
    usage: { inputTokens: 8, outputTokens: 3, totalTokens: 11 },
    stop: 'end-turn',
  },
  // Running totals: the last one counts, not the sum.
  'usage-in-every-chunk.sse': {
    ...service,
    text: 'one two three',
    usage: { inputTokens: 8, outputTokens: 4, totalTokens: 12 },
    stop: 'end-turn',
  },
  'usage-in-the-choice.sse': {
    ...service,
    text: 'Moonshot',
    usage: { inputTokens: 6, outputTokens: 2, totalTokens: 8 },
    stop: 'end-turn',
  },
  'no-done.sse': {
    ...service,
    text: 'No mark',
    usage: { inputTokens: 6, outputTokens: 2, totalTokens: 8 },
    stop: 'end-turn',
  },
  'no-last-line-end.sse': {
    ...service,
    text: 'No line end',
    usage: { inputTokens: 6, outputTokens: 3, totalTokens: 9 },
    stop: 'end-turn',
  },
  'no-choices.sse': {
    ...service,
    text: 'Still here',
    usage: { inputTokens: 6, outputTokens: 2, totalTokens: 8 },
    stop: 'end-turn',
  },
  'blank-first-chunk.sse': {
    ...service,
    text: 'Hello',
    usage: { inputTokens: 6, outputTokens: 1, totalTokens: 7 },
    stop: 'end-turn',
  },
  'error-after-text.sse': {
    ...service,
    text: 'So far',
    error: { kind: 'overloaded', code: 'engine_overloaded', message: /The engine is overloaded/ },
  },
  // Under status 200, before any output.
  'error-first.sse': {
    text: '',
    error: {
      kind: 'quota-exhausted',
      code: 'insufficient_quota',
      message: /You exceeded your current quota/,
    },
  },
  'ends-without-a-reason.sse': {
    ...service,
    text: 'And then',
    error: { kind: 'network', code: 'network', message: /ended before the answer was complete/ },
  },
  // Not an event at all, though the content type says so.
  'bare-json-error.sse': {
    text: '',
    error: { kind: 'model-not-found', code: 'model_not_found', message: /No such deployment/ },
  },
}
