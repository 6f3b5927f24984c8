import { describe, expect, test } from 'vitest'
import type { MessagePart, RequestMessage } from '../../../../guest-sdk/request.ts'
import { assistant, system, toolResult, toolUse, user } from '../openai-chat/request.ts'
import { encode, refusal } from './encode-request.ts'

describe('encodeMessagesRequest: turns', () => {
  test('results of one turn stand first in one turn, in the order of the calls (B27)', () => {
    const { body } = encode([
      user('Go'),
      assistant(toolUse('a', 'look', '{}')),
      assistant(toolUse('b', 'look', '{}')),
      user('By the way', toolResult('b', 'two')),
      user(toolResult('a', 'one', true), 'go on'),
    ])
    expect(body.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    expect(body.messages[2]?.content).toEqual([
      { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'one' }], is_error: true },
      { type: 'tool_result', tool_use_id: 'b', content: [{ type: 'text', text: 'two' }] },
      { type: 'text', text: 'By the way' },
      { type: 'text', text: 'go on' },
    ])
  })
  test('a call without a result is answered for, a result without a call is told in words', () => {
    const { body, warnings } = encode([
      user('Go', toolResult('gone', 'old')),
      assistant(toolUse('a', 'look', '{}')),
      user('Never mind'),
    ])
    expect(body.messages[0]?.content[1]).toEqual({ type: 'text', text: 'Result of the tool look: old' })
    expect(body.messages[2]?.content[0]).toMatchObject({ tool_use_id: 'a', is_error: true })
    expect(warnings).toHaveLength(1)
  })
  test('ids fit the alphabet, stay apart, and stay as they are while the conversation grows (B22)', () => {
    const history = [
      user('Go'),
      assistant(toolUse('functions.Bash:0', 'look', '{}'), toolUse('functions/Bash:0', 'look', '{}')),
      user(toolResult('functions.Bash:0', '1'), toolResult('functions/Bash:0', '2')),
      // Services that count from 0 in each answer use an id again.
      assistant(toolUse('functions.Bash:0', 'look', '{}'), toolUse('call_1|fc_2', 'look', '{}')),
      user(toolResult('functions.Bash:0', '3'), toolResult('call_1|fc_2', '4')),
      assistant(toolUse('x'.repeat(90), 'look', '{}')),
      user(toolResult('x'.repeat(90), '5')),
    ]
    const idsIn = (messages: readonly RequestMessage[]) =>
      encode(messages).body.messages.flatMap(({ content }) => content.flatMap(block => block.id ?? []))
    const ids = idsIn(history)
    expect(new Set(ids).size).toBe(5)
    expect(idsIn(history.slice(0, 3))).toEqual(ids.slice(0, 2))
  })
  test('empty texts and turns are left out; white space at the end of a beginning too', () => {
    const { body } = encode([user('Hi', '', ' '), assistant(''), user('there'), assistant('So \n')])
    expect(body.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Hi' },
          { type: 'text', text: 'there' },
        ],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'So' }] },
    ])
  })
  test('a beginning of the answer is refused where the model does not continue one', () => {
    expect(() => encode([user('Hi'), assistant('So')], {}, { prefill: false })).toThrow(
      refusal('this request'),
    )
  })
  test('a conversation that begins with the model gets a user in front', () => {
    const { body, warnings } = encode([assistant('Hello'), user('Hi')])
    expect(body.messages[0]?.role).toBe('user')
    expect(warnings).toHaveLength(1)
  })
  test('a system message between others: in its place where the model takes it, else in words', () => {
    const messages = [user('Hi'), assistant('Hello'), user('So?'), system('Answer in French.'), user('Well?')]
    const { body } = encode(messages, {}, { systemMessages: true })
    expect(body.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'system'])
    const { body: told, warnings } = encode(messages)
    expect(told.messages[2]?.content[1]).toEqual({
      type: 'text',
      text: '<system>\nAnswer in French.\n</system>',
    })
    expect(warnings).toHaveLength(1)
  })
  test('nothing to say is an error by name', () => {
    expect(() => encode([user('')])).toThrow(expect.objectContaining({ kind: 'invalid-request' }))
  })
})

describe('encodeMessagesRequest: what other services left in the history', () => {
  test('opaque parts of other dialects are left out, own ones stay', () => {
    const foreign: MessagePart[] = [
      { type: 'thinking', text: 'no signature' },
      { type: 'reasoning-details', data: '[{"type":"reasoning.text","text":"x"}]' },
      {
        type: 'reasoning-details',
        data: '{"type":"gemini.signature","of":"text","length":0,"thoughtSignature":"g"}',
      },
      { type: 'provider-content', data: '{"type":"gemini.part","part":{"executableCode":{"code":"1"}}}' },
      { type: 'provider-content', data: '{"type":"web_search_call","id":"ws_1"}' },
      { type: 'provider-content', data: 'not even JSON' },
      { ...toolUse('a', 'look', '{}'), thoughtSignature: 'of another' } as MessagePart,
    ]
    const { body } = encode([user('Go'), assistant(...foreign), user(toolResult('a', 'x'))])
    expect(body.messages[1]?.content).toEqual([{ type: 'tool_use', id: 'a', name: 'look', input: {} }])
  })
  test('arguments go out byte for byte, what is no object as {} (J5, trap 1)', () => {
    const input = '{"id": 12345678901234567890, "f": 1.10}'
    const { text } = encode([
      user('Go'),
      assistant(toolUse('a', 'f', input), toolUse('b', 'f', ''), toolUse('c', 'f', '[1]')),
      user(toolResult('a', ''), toolResult('b', ''), toolResult('c', '')),
    ])
    expect(text).toContain(`"input":${input}`)
    expect(text.split('"input":{}').length - 1).toBe(2)
  })
  test('half a surrogate pair becomes U+FFFD, also as an escape in arguments (J2)', () => {
    const { text } = encode([
      user('a\ud83d'),
      assistant(toolUse('a', 'f', '{"x":"\\ud83d","y":"\\ud83d\\ude00","z":"\\\\ud83d"}')),
      user(toolResult('a', '\ude00')),
    ])
    expect(text).toContain('{"x":"\\ufffd","y":"\\ud83d\\ude00","z":"\\\\ud83d"}')
    expect(text).toContain('"a\ufffd"')
    expect(text.isWellFormed()).toBe(true)
  })
})
