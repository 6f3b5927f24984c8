import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ChatQuirks, encodeChatRequest } from '../../../../guest-sdk/dialects/openai-chat/index.ts'
import type { MessagePart } from '../../../../guest-sdk/request.ts'

describe('encodeChatRequest, whatever it is given', () => {
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', '\ud83d', 'a\ude00b', '😀'))
  const base64 = fc.base64String({ maxLength: 40 })
  const image = fc.record({
    type: fc.constant('image' as const),
    source: base64,
    mediaType: fc.constant('image/png'),
  })
  const id = fc.constantFrom('a', 'b', '', 'functions.Bash:0', 'x'.repeat(70))
  const input = fc.oneof(
    fc.json(),
    fc.constantFrom('', '{', 'null', '{"id": 12345678901234567890}', '{"x":"\\ud83d"}'),
  )
  const part: fc.Arbitrary<MessagePart> = fc.oneof(
    fc.record({ type: fc.constant('text' as const), text }),
    fc.record({ type: fc.constant('tool-use' as const), id, name: text, input }),
    fc.record({
      type: fc.constant('tool-result' as const),
      toolUseId: id,
      toolName: text,
      isError: fc.boolean(),
      content: fc.array(fc.oneof(fc.record({ type: fc.constant('text' as const), text }), image), {
        maxLength: 2,
      }),
    }),
    fc.record({ type: fc.constant('thinking' as const), text }),
    fc.record({ type: fc.constant('reasoning-details' as const), data: fc.oneof(text, fc.json()) }),
    fc.record({ type: fc.constant('redacted-thinking' as const), data: text }),
    fc.record({ type: fc.constant('provider-content' as const), data: text }),
    image,
    fc.record({
      type: fc.constant('file' as const),
      source: base64,
      mediaType: fc.constantFrom('application/pdf', 'audio/wav', 'text/plain', 'image/png', ''),
    }),
  )
  const message = fc.oneof(
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
  const request = fc.record({
    messages: fc.array(message, { maxLength: 8 }),
    tools: fc.array(
      fc.record({ name: text, description: text, inputSchema: fc.dictionary(text, fc.jsonValue()) }),
      { maxLength: 2 },
    ),
    stopSequences: fc.array(text, { maxLength: 2 }),
    thinkingAllowed: fc.boolean(),
    providerOptions: fc.dictionary(fc.constantFrom('top_k', 'user', '__proto__'), fc.jsonValue()),
  })
  const quirks: fc.Arbitrary<Partial<ChatQuirks>> = fc.record({
    reasoningEcho: fc.constantFrom('never' as const, 'tool-turns' as const, 'always' as const),
    reasoningField: fc.constantFrom(
      'reasoning_content' as const,
      'reasoning' as const,
      'thinking-part' as const,
    ),
    reasoningDetails: fc.boolean(),
    cacheControl: fc.boolean(),
    toolCallIds: fc.constantFrom('any' as const, 'alphanumeric-9' as const),
  })

  test('it does not throw, says the same twice, and holds no half character (J2)', () => {
    fc.assert(
      fc.property(request, quirks, (given, rules) => {
        const body = JSON.stringify(encodeChatRequest(given, 'm', rules))
        expect(JSON.stringify(encodeChatRequest(given, 'm', rules))).toBe(body)
        // JSON.stringify escapes half a pair, and nothing else, in this range. An escaped backslash is a text's own.
        expect(body.replaceAll('\\\\', '')).not.toMatch(/\\ud[89a-f]/i)
      }),
    )
  })

  test('arguments go out byte for byte, and every result follows its call', () => {
    fc.assert(
      fc.property(request, given => {
        const wire = encodeChatRequest(given, 'm').messages as {
          role: string
          content: unknown
          tool_call_id?: string
          tool_calls?: { id: string; function: { arguments: string } }[]
        }[]
        const sent = wire.flatMap(({ tool_calls = [] }) => tool_calls.map(call => call.function.arguments))
        const inputs = given.messages.flatMap(({ role, content }) =>
          content.flatMap(each => (role === 'assistant' && each.type === 'tool-use' ? [each.input] : [])),
        )
        expect(sent).toEqual(
          inputs.map(each => (isJson(each) && JSON.parse(each) !== null ? each.toWellFormed() : '{}')),
        )
        wire.forEach((each, at) => {
          if (each.role !== 'tool') return
          const turn = wire.slice(0, at).findLast(({ role }) => role !== 'tool')
          expect(turn?.tool_calls?.map(call => call.id)).toContain(each.tool_call_id)
        })
        for (const each of wire) {
          if (each.role === 'assistant' && !each.tool_calls) expect(each.content).not.toBeNull()
        }
      }),
    )
  })
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
