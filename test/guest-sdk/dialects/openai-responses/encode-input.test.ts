import { describe, expect, test } from 'vitest'
import type { MessagePart, RequestMessage } from '../../../../guest-sdk/request.ts'
import { assistant, system, toolResult, toolUse, user } from '../openai-chat/request.ts'
import { encode, refusal } from './encode-request.ts'

const details = (data: object): MessagePart => ({ type: 'reasoning-details', data: JSON.stringify(data) })
const item = (item: object, origin = { service: 'openai', model: 'm' }) => ({
  type: 'openai-responses.item',
  ...origin,
  item,
})
const thought = { type: 'reasoning', id: 'rs_1', encrypted_content: 'gAAA=', summary: [] }
const typesOf = (messages: readonly RequestMessage[]) => encode(messages).body.input.map(({ type }) => type)

describe('encodeResponsesRequest: turns', () => {
  test('results behind the turn that called, in the order of the calls, by call_id (H5, B27)', () => {
    const { body } = encode([
      user('Go'),
      assistant('Ok', toolUse('a', 'look', '{"x":1}')),
      assistant(toolUse('b', 'look', '{}')),
      user('By the way', toolResult('b', 'two')),
      user(toolResult('a', 'one', true), 'go on'),
    ])
    expect(body.input.slice(1)).toEqual([
      { type: 'message', role: 'assistant', content: 'Ok' },
      { type: 'function_call', call_id: 'a', name: 'look', arguments: '{"x":1}' },
      { type: 'function_call', call_id: 'b', name: 'look', arguments: '{}' },
      { type: 'function_call_output', call_id: 'a', output: 'Error: one' },
      { type: 'function_call_output', call_id: 'b', output: 'two' },
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'By the way' },
          { type: 'input_text', text: 'go on' },
        ],
      },
    ])
  })
  test('a call without a result is answered for, a result without a call is told in words', () => {
    const { body, warnings } = encode([
      user('Go', toolResult('gone', 'old')),
      assistant(toolUse('a', 'look', '{}')),
      user('Never mind'),
    ])
    expect(body.input[0]).toMatchObject({ content: [{}, { text: 'Result of the tool look: old' }] })
    expect(body.input[2]).toMatchObject({ call_id: 'a', output: expect.stringContaining('was not run') })
    expect(warnings).toHaveLength(1)
  })
  test('ids fit, stay apart, and stay as they are while the conversation grows (B22)', () => {
    const history = [
      user('Go'),
      assistant(toolUse('call_1|fc_2', 'look', '{}'), toolUse('x'.repeat(90), 'look', '{}')),
      user(toolResult('call_1|fc_2', '1'), toolResult('x'.repeat(90), '2')),
      assistant(toolUse('call_1|fc_2', 'look', '{}')),
      user(toolResult('call_1|fc_2', '3')),
    ]
    const idsIn = (messages: readonly RequestMessage[]) =>
      encode(messages).body.input.flatMap(item => (item.type === 'function_call' ? [item.call_id] : []))
    const ids = idsIn(history)
    expect(new Set(ids).size).toBe(3)
    expect(idsIn(history.slice(0, 3))).toEqual(ids.slice(0, 2))
  })
  test('instructions in front, and between the others in their place', () => {
    const { body } = encode([
      system('One.'),
      system('Two.'),
      user('Hi'),
      assistant('Hello'),
      system('French.'),
      user('So?'),
    ])
    expect(body.instructions).toBe('One.\n\nTwo.')
    expect(body.input.map(({ role }) => role)).toEqual(['user', 'assistant', 'developer', 'user'])
    const alone = encode([system('Write a poem.')])
    expect(alone.body.input).toMatchObject([{ role: 'developer', content: [{ text: 'Write a poem.' }] }])
    expect(alone.body).not.toHaveProperty('instructions')
  })
  test('empty texts and turns are left out; nothing to say is an error by name', () => {
    expect(typesOf([user('Hi', ''), assistant(''), user('there')])).toEqual(['message', 'message'])
    expect(() => encode([user('')])).toThrow(expect.objectContaining({ kind: 'invalid-request' }))
  })
  test('a beginning of the answer is sent, with a warning that it is not continued', () => {
    expect(encode([user('Hi'), assistant('So')]).warnings).toHaveLength(1)
  })
  test('arguments go out byte for byte, what is no object as {} (J5, trap 1)', () => {
    const input = '{"id": 12345678901234567890, "f": 1.10}'
    const { body } = encode([
      user('Go'),
      assistant(toolUse('a', 'f', input), toolUse('b', 'f', ''), toolUse('c', 'f', '[1]')),
      user(toolResult('a', ''), toolResult('b', ''), toolResult('c', '')),
    ])
    expect(body.input.slice(1, 4).map(item => item.arguments)).toEqual([input, '{}', '{}'])
  })
  test('half a surrogate pair becomes U+FFFD, also as an escape in arguments (J2)', () => {
    const { body, text } = encode([
      user('a\ud83d'),
      assistant(toolUse('a', 'f', '{"x":"\\ud83d","y":"\\ud83d\\ude00"}')),
      user(toolResult('a', '\ude00')),
    ])
    expect(body.input[1]?.arguments).toBe('{"x":"\\ufffd","y":"\\ud83d\\ude00"}')
    expect(body.input[2]?.output).toBe('\ufffd')
    expect(text.isWellFormed()).toBe(true)
  })
})

describe('encodeResponsesRequest: opaque items', () => {
  test('reasoning goes back in its place, byte for byte', () => {
    const raw = '{"type":"reasoning","id":"rs_1","encrypted_content":"gA\\u003d","summary":[]}'
    const data = `{"type":"openai-responses.item","service":"openai","model":"m","item":${raw}}`
    const part: MessagePart = { type: 'reasoning-details', data }
    const { text, body } = encode([
      user('Go'),
      assistant({ type: 'thinking', text: 'Hm.' }, part, toolUse('a', 'f', '{}')),
      user(toolResult('a', 'x')),
    ])
    expect(text).toContain(raw)
    expect(body.input.map(({ type }) => type)).toEqual([
      'message',
      'reasoning',
      'function_call',
      'function_call_output',
    ])
  })
  test.each([
    ['of another model', { service: 'openai', model: 'other' }],
    ['of another service', { service: 'deepseek', model: 'm' }],
  ])('reasoning %s stays away, and its call goes (H5)', (_, origin) => {
    const parts = [details(item(thought, origin)), toolUse('a', 'f', '{}')]
    expect(typesOf([user('Go'), assistant(...parts), user(toolResult('a', 'x'))])).toEqual([
      'message',
      'function_call',
      'function_call_output',
    ])
  })
  test('reasoning of an answer that was broken off is left out (H5)', () => {
    const own = details(item(thought))
    expect(typesOf([user('Go'), assistant(own), user('Again')])).toEqual(['message', 'message'])
    expect(typesOf([user('Go'), assistant(own), assistant(own, 'Hi'), user('Again')])).toEqual([
      'message',
      'reasoning',
      'message',
      'message',
    ])
  })
  test('what the service ran goes back to that service, whatever its model', () => {
    const search = { type: 'web_search_call', id: 'ws_1', status: 'completed' }
    const from = (service: string): MessagePart => ({
      type: 'provider-content',
      data: JSON.stringify(item(search, { service, model: 'older' })),
    })
    const { body } = encode([user('Go'), assistant(from('openai'), from('azure-openai'), 'Hi'), user('So?')])
    expect(body.input.slice(1, 3)).toEqual([search, { type: 'message', role: 'assistant', content: 'Hi' }])
  })
  test('a message keeps its phase, and texts of other messages do not get it', () => {
    const phase = { type: 'openai-responses.message', length: 4, phase: 'commentary' }
    const { body } = encode([
      user('Go'),
      assistant('OldFirst'.slice(0, 7), details(phase), 'Then'),
      user('So?'),
    ])
    expect(body.input.slice(1, 4)).toEqual([
      { type: 'message', role: 'assistant', content: 'Old' },
      { type: 'message', role: 'assistant', content: 'Firs', phase: 'commentary' },
      { type: 'message', role: 'assistant', content: 'Then' },
    ])
  })
  test('parts of other dialects are left out', () => {
    const foreign: MessagePart[] = [
      { type: 'thinking', text: 'x', signature: 's' },
      { type: 'redacted-thinking', data: 'x' },
      { type: 'reasoning-details', data: '[{"type":"reasoning.text","text":"x"}]' },
      { type: 'reasoning-details', data: 'not even JSON' },
      { type: 'provider-content', data: '{"type":"server_tool_use","id":"s"}' },
      { ...toolUse('a', 'f', '{}'), thoughtSignature: 'of another' } as MessagePart,
    ]
    expect(typesOf([user('Go'), assistant(...foreign), user(toolResult('a', 'x'))])).toEqual([
      'message',
      'function_call',
      'function_call_output',
    ])
  })
})

describe('encodeResponsesRequest: media', () => {
  const jpeg = '/9j/4AAQSkZJRg=='
  const image: MessagePart = { type: 'image', source: jpeg, mediaType: 'image/png' }
  test('images by their bytes, as data URIs and URLs (J1)', () => {
    const { body } = encode([
      user(image, { type: 'image', source: `data:image/jpeg;charset=x;base64,${jpeg}` }),
      user({ type: 'image', source: 'https://a.example/x.png' }),
    ])
    const data = { type: 'input_image', image_url: `data:image/jpeg;base64,${jpeg}`, detail: 'auto' }
    expect(body.input[0]?.content).toEqual([
      data,
      data,
      { type: 'input_image', image_url: 'https://a.example/x.png', detail: 'auto' },
    ])
  })
  test('documents, with a name where they have none', () => {
    const pdf = Buffer.from('%PDF-1.7').toString('base64')
    const { body } = encode([
      user(
        { type: 'file', source: pdf, mediaType: 'application/octet-stream' },
        { type: 'file', source: 'aGk=', mediaType: 'text/plain', name: 'a.txt' },
        { type: 'file', source: 'https://a.example/a.pdf', mediaType: 'application/pdf' },
      ),
    ])
    expect(body.input[0]?.content).toEqual([
      { type: 'input_file', filename: 'file.pdf', file_data: `data:application/pdf;base64,${pdf}` },
      { type: 'input_file', filename: 'a.txt', file_data: 'data:text/plain;base64,aGk=' },
      { type: 'input_file', file_url: 'https://a.example/a.pdf' },
    ])
  })
  test.each<[part: MessagePart, rules: object]>([
    [{ type: 'image', source: 'SUkqAA==', mediaType: 'image/tiff' }, {}],
    [{ type: 'file', source: 'AAAA', mediaType: 'audio/wav' }, {}],
    [image, { images: false }],
    [{ type: 'file', source: 'aGk=', mediaType: 'text/plain' }, { files: false }],
  ])('what is not taken is refused by its place: %j', (part, rules) => {
    expect(() => encode([user(part)], {}, rules)).toThrow(refusal('messages[0].content[0]'))
  })
  test('images in results: inside, or behind where the model does not take them there', () => {
    const messages = [
      user('Go'),
      assistant(toolUse('a', 'look', '{}')),
      user(toolResult('a', [{ type: 'text', text: 'here' }, image as never])),
    ]
    expect(encode(messages).body.input[2]?.output).toMatchObject([{ text: 'here' }, { type: 'input_image' }])
    const { body } = encode(messages, {}, { resultImages: false })
    expect(body.input[2]?.output).toBe('here\n(An image follows.)')
    expect(body.input[3]?.content).toMatchObject([{ type: 'input_text' }, { type: 'input_image' }])
  })
  test("an image of the model goes back as the item that made it, that of another as a user's", () => {
    const made = details({ type: 'openai-responses.image', service: 'openai', id: 'ig_1' })
    expect(encode([user('Draw'), assistant(image, made), user('Again')]).body.input[1]).toEqual({
      type: 'image_generation_call',
      id: 'ig_1',
      status: 'completed',
      result: jpeg,
    })
    const { body } = encode([user('Draw'), assistant('Here', image), user('Again')])
    expect(body.input[2]).toMatchObject({
      role: 'user',
      content: [{ text: 'From your last answer:' }, { type: 'input_image' }, { text: 'Again' }],
    })
  })
})

describe('encodeResponsesRequest: cache anchors', () => {
  const anchored = (message: RequestMessage): RequestMessage => ({ ...message, cache: true })
  const mark = { prompt_cache_breakpoint: { mode: 'explicit' } }
  test('become breakpoints where the model takes them, the last three', () => {
    const messages = [
      anchored(system('S')),
      anchored(user('One', 'Two')),
      anchored(assistant('A', toolUse('a', 'f', '{}'))),
      anchored(user(toolResult('a', 'r'))),
      user('end'),
    ]
    const { body, text } = encode(messages, {}, { cacheBreakpoints: true })
    expect(body.input[0]).toMatchObject({ role: 'developer', content: [{ text: 'S', ...mark }] })
    expect(body.input[1]?.content).toEqual([
      { type: 'input_text', text: 'One' },
      { type: 'input_text', text: 'Two', ...mark },
    ])
    expect(body.input[4]?.output).toEqual([{ type: 'input_text', text: 'r', ...mark }])
    expect(text.split('prompt_cache_breakpoint').length - 1).toBe(3)
  })
  test('elsewhere the service caches by itself', () => {
    const { body, text, warnings } = encode([anchored(system('S')), anchored(user('Hi'))])
    expect(body.instructions).toBe('S')
    expect(text).not.toContain('breakpoint')
    expect(warnings).toEqual([])
  })
})
