import fc from 'fast-check'
import type { CompletionRequest, MessagePart, RequestMessage } from '../../../guest-sdk/request.ts'

const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', ' ', '\ud83d', 'a\ude00b', '😀'))
const base64 = fc.base64String({ maxLength: 40 })
const image = fc.record({
  type: fc.constant('image' as const),
  source: base64.map(data => `/9j/${data}`),
  mediaType: fc.constant('image/png'),
})
const id = fc.constantFrom('a', 'b', '', 'functions.Bash:0', 'x'.repeat(70), 'toolu_1', 'gemini_1')
export const bigInput = '{"id": 12345678901234567890, "x":"\\u00e9"}'
const input = fc.oneof(fc.json(), fc.constantFrom('', '{', 'null', bigInput, '{"x":"\\ud83d"}'))
const result = fc.oneof(fc.record({ type: fc.constant('text' as const), text }), image)
const opaque = fc.oneof(
  text,
  fc.json(),
  fc.constantFrom(
    '{"type":"server_tool_use","id":"s","name":"web_search","input":{}}',
    '{"type":"gemini.part","part":{"executableCode":{"code":"1"}}}',
    '{"type":"gemini.signature","of":"text","length":3,"thoughtSignature":"s"}',
    '{"type":"anthropic.citations","length":2,"citations":[{"type":"char_location"}]}',
  ),
)
const part: fc.Arbitrary<MessagePart> = fc.oneof(
  fc.record({ type: fc.constant('text' as const), text }),
  fc.record({ type: fc.constant('tool-use' as const), id, name: fc.string({ minLength: 1 }), input }),
  fc.record({
    type: fc.constant('tool-result' as const),
    toolUseId: id,
    toolName: fc.string({ minLength: 1 }),
    isError: fc.boolean(),
    content: fc.array(result, { maxLength: 2 }),
  }),
  fc.record({ type: fc.constant('thinking' as const), text }, { requiredKeys: ['type', 'text'] }),
  fc.record({ type: fc.constant('thinking' as const), text, signature: fc.base64String({ minLength: 4 }) }),
  fc.record({ type: fc.constant('reasoning-details' as const), data: opaque }),
  fc.record({ type: fc.constant('redacted-thinking' as const), data: fc.base64String({ minLength: 4 }) }),
  fc.record({ type: fc.constant('provider-content' as const), data: opaque }),
  image,
  fc.record({
    type: fc.constant('file' as const),
    source: base64,
    mediaType: fc.constantFrom('application/pdf', 'text/plain'),
  }),
)
const message: fc.Arbitrary<RequestMessage> = fc.oneof(
  fc.record({
    role: fc.constantFrom('user' as const, 'assistant' as const),
    content: fc.array(part, { maxLength: 5 }),
    cache: fc.boolean(),
  }),
  fc.record({
    role: fc.constant('system' as const),
    content: fc.array(fc.record({ type: fc.constant('text' as const), text }), { maxLength: 2 }),
    cache: fc.boolean(),
  }),
)

/** Requests that both services take, however odd their history: something to answer is always there. */
export const conversations: fc.Arbitrary<CompletionRequest> = fc
  .record({
    messages: fc.array(message, { maxLength: 8 }),
    tools: fc.array(
      fc.record({
        name: fc.string({ minLength: 1 }),
        description: text,
        inputSchema: fc.constant({ type: 'object', properties: { x: { type: 'string' } } }),
      }),
      { maxLength: 3 },
    ),
    toolChoice: fc.constantFrom('auto' as const, 'none' as const),
    parallelToolCalls: fc.boolean(),
    stopSequences: fc.array(text, { maxLength: 2 }),
    thinkingAllowed: fc.boolean(),
    providerOptions: fc.constant({}),
  })
  .map(request => ({
    ...request,
    messages: [
      ...request.messages,
      { role: 'user' as const, content: [{ type: 'text' as const, text: 'So?' }], cache: false },
    ],
  }))

/** No half of a surrogate pair, bare or escaped. An escaped backslash is a text's own. */
export function isWellFormedJson(json: string): boolean {
  const escapes = json
    .replaceAll('\\\\', '')
    .replace(/\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}/g, '')
  return json.isWellFormed() && !/\\u[dD][89a-fA-F]/.test(escapes)
}
