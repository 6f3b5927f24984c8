import { describe, expect, test } from 'vitest'
import type { MessagePart, RequestMessage } from '../../../../guest-sdk/request.ts'
import { assistant, system, toolResult, toolUse, user } from '../openai-chat/request.ts'
import { encode, look, refusal } from './encode-request.ts'

describe('encodeMessagesRequest: media', () => {
  const jpeg = '/9j/4AAQSkZJRg=='
  test('the media type is that of the bytes, data URIs and base64url are cleaned (J1)', () => {
    const { body } = encode([
      user({ type: 'image', source: `data:image/png;base64,${jpeg}`, mediaType: 'image/png' }),
      user({ type: 'image', source: '_9j_4AAQSkZJRg', mediaType: 'image/png' }),
      user({ type: 'image', source: 'https://a.example/x.png' }),
    ])
    const source = { type: 'base64', media_type: 'image/jpeg', data: jpeg }
    expect(body.messages[0]?.content).toEqual([
      { type: 'image', source },
      { type: 'image', source },
      { type: 'image', source: { type: 'url', url: 'https://a.example/x.png' } },
    ])
  })
  test('documents: PDF, text, and what is refused by name', () => {
    const pdf = Buffer.from('%PDF-1.7').toString('base64')
    const { body } = encode([
      user(
        { type: 'file', source: pdf, mediaType: 'application/octet-stream', name: 'a.pdf' },
        { type: 'file', source: Buffer.from('grüß').toString('base64'), mediaType: 'text/markdown' },
      ),
    ])
    expect(body.messages[0]?.content).toEqual([
      {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: pdf },
        title: 'a.pdf',
      },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'grüß' } },
    ])
    const audio: MessagePart = { type: 'file', source: 'AAAA', mediaType: 'audio/wav' }
    expect(() => encode([user(audio)])).toThrow(refusal('messages[0].content[0]'))
    const tiff: MessagePart = { type: 'image', source: 'SUkqAA==', mediaType: 'image/tiff' }
    expect(() => encode([user(tiff)])).toThrow(refusal('messages[0].content[0]'))
  })
  test('images in results and from the model', () => {
    const image = { type: 'image' as const, source: jpeg }
    const { body } = encode([
      user('Go'),
      assistant(image, toolUse('a', 'look', '{}')),
      user(toolResult('a', [{ type: 'text', text: 'here' }, image])),
    ])
    expect(body.messages[2]?.content.map(({ type }) => type)).toEqual(['tool_result', 'text', 'image'])
    expect(body.messages[2]?.content[0]?.content).toHaveLength(2)
  })
})

describe('encodeMessagesRequest: cache anchors', () => {
  const anchored = (message: RequestMessage): RequestMessage => ({ ...message, cache: true })
  test('on the last block of a message, and on the tools', () => {
    const { body } = encode(
      [anchored(system('S')), anchored(user('One', 'Two')), assistant('A'), user('B')],
      {
        tools: [look, { ...look, name: 'see' }],
      },
    )
    const mark = { cache_control: { type: 'ephemeral' } }
    expect(body.system).toEqual([{ type: 'text', text: 'S', ...mark }])
    expect(body.messages[0]?.content).toEqual([
      { type: 'text', text: 'One' },
      { type: 'text', text: 'Two', ...mark },
    ])
    expect(body.tools).toMatchObject([{ name: 'look' }, { name: 'see', ...mark }])
  })
  test('no more than four, the last ones', () => {
    const messages = Array.from({ length: 6 }, (_, at) =>
      anchored(at % 2 ? assistant(`${at}`) : user(`${at}`)),
    )
    const { text } = encode([...messages, user('end')], { tools: [look] })
    expect(text.split('cache_control').length - 1).toBe(4)
    expect(text).toContain('{"type":"text","text":"5","cache_control":{"type":"ephemeral"}}')
    expect(text).not.toContain('{"type":"text","text":"1","cache_control"')
  })
  test('an anchor on thinking stands on the block before', () => {
    const thought: MessagePart = { type: 'thinking', text: 'x', signature: 's' }
    const { body } = encode([user('A'), anchored(assistant('Hm', thought)), user('B')])
    expect(body.messages[1]?.content[0]).toHaveProperty('cache_control')
  })
})
