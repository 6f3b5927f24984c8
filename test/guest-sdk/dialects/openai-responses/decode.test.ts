import { describe, expect, test } from 'vitest'
import { events, replay } from '../replay.ts'
import {
  added,
  args,
  call,
  completed,
  created,
  decoder,
  done,
  incomplete,
  message,
  read,
  textDelta,
} from './answer.ts'

const say = (words: string) => [added(0, message('')), textDelta(0, 'msg_1', words), done(0, message(words))]
const reasoning = (fields: object) => ({ type: 'reasoning', id: 'rs_1', summary: [], ...fields })

describe('createResponsesDecoder: texts', () => {
  test('a message in pieces, then whole: told once', () => {
    const { events, result } = read(created, ...say('Hi there'), completed)
    expect(events.map(({ type }) => type)).toEqual(['response-metadata', 'text', 'usage', 'stop'])
    expect(result).toMatchObject({ text: 'Hi there', stopReason: 'end-turn', id: 'resp_1', model: 'm' })
    expect(result.usage).toEqual({
      inputTokens: 10,
      outputTokens: 5,
      cacheReadInputTokens: 4,
      reasoningTokens: 2,
      totalTokens: 15,
    })
  })
  test('an item that is sent once more is told once', () => {
    expect(read(...say('Hi'), done(0, message('Hi')), completed).result.text).toBe('Hi')
  })
  test('what the pieces left out comes with the whole', () => {
    const whole = { type: 'response.output_text.done', output_index: 0, content_index: 0, text: 'Hi there' }
    expect(read(added(0, message('')), textDelta(0, 'msg_1', 'Hi'), whole, completed).result.text).toBe(
      'Hi there',
    )
    expect(read(done(0, message('Hi there')), completed).result.text).toBe('Hi there')
  })
  test('a piece as an object, and content_index always 0 (H6)', () => {
    const parts = {
      content: [
        { type: 'output_text', text: 'AB' },
        { type: 'output_text', text: 'CD' },
      ],
    }
    const { result } = read(
      added(0, message('')),
      textDelta(0, 'msg_1', { text: 'AB' }),
      textDelta(0, 'msg_1', 'CD'),
      done(0, message('', parts)),
      completed,
    )
    expect(result.text).toBe('ABCD')
  })
  test('two items in one place, and an item whose id changes from event to event (H6)', () => {
    const { result } = read(
      added(0, message('', { id: 'a' })),
      added(0, call({ id: 'b' })),
      textDelta(0, 'a', 'Hi'),
      args(0, 'b', '{"x":1}'),
      done(0, call({ id: 'b', arguments: '{"x":1}', status: 'completed' })),
      done(0, message('Hi', { id: 'a' })),
      completed,
    )
    expect(result.text).toBe('Hi')
    expect(result.toolUses).toMatchObject([{ id: 'call_1', input: '{"x":1}' }])
    const moving = read(
      added(0, message('', { id: 'x1' })),
      textDelta(0, 'x2', 'Hel'),
      textDelta(0, 'x3', 'lo'),
      done(0, message('Hello', { id: 'x4' })),
      completed,
    )
    expect(moving.result.text).toBe('Hello')
  })
  test('an item that nobody announced, and a response that is sent bare (H6)', () => {
    const bare = {
      type: 'response.created',
      object: 'response',
      id: 'resp_2',
      model: 'm',
      status: 'in_progress',
    }
    const { result } = read(bare, textDelta(0, 'msg_9', 'Hi'), completed)
    expect(result).toMatchObject({ text: 'Hi', id: 'resp_2' })
  })
  test('refusals are text, and a reason to stop', () => {
    const refused = { type: 'refusal', refusal: 'No.' }
    const delta = { type: 'response.refusal.delta', output_index: 0, content_index: 0, delta: 'No.' }
    const { result } = read(
      added(0, message('')),
      delta,
      done(0, message('', { content: [refused] })),
      completed,
    )
    expect(result).toMatchObject({ text: 'No.', stopReason: 'refusal' })
  })
  test('sources, each once', () => {
    const url = { type: 'url_citation', url: 'https://a.example', title: 'A', start_index: 0, end_index: 2 }
    const file = { type: 'container_file_citation', filename: 'b.csv', file_id: 'f', container_id: 'c' }
    const path = { type: 'file_path', file_id: 'file_1', index: 0 }
    const content = [{ type: 'output_text', text: 'Hi', annotations: [url, file, path] }]
    const annotated = { type: 'response.output_text.annotation.added', output_index: 0, annotation: url }
    const { result } = read(...say('Hi').slice(0, 2), annotated, done(0, message('', { content })), completed)
    expect(result.citations).toEqual([
      { url: 'https://a.example', title: 'A' },
      { title: 'b.csv' },
      { title: 'file_1' },
    ])
  })
})

describe('createResponsesDecoder: reasoning', () => {
  test('summaries are thinking, part by part; the item stays, byte for byte, in its place', () => {
    const part = (summary_index: number, delta: string) => ({
      type: 'response.reasoning_summary_text.delta',
      output_index: 0,
      item_id: 'rs_1',
      summary_index,
      delta,
    })
    const item =
      '{"type":"reasoning","id":"rs_1","encrypted_content":"gAAA\\u003d","n":1e0,"summary":[{"type":"summary_text","text":"One."},{"type":"summary_text","text":"Two."}]}'
    const { result } = replay(decoder(), [
      ...events(created, added(0, reasoning({})), part(0, 'One.'), part(1, 'Two.')),
      { data: `{"type":"response.output_item.done","output_index":0,"item":${item}}` },
      ...events(done(1, message('Hi')), completed),
    ])
    expect(result.parts).toEqual([
      { type: 'thinking', text: 'One.\n\nTwo.' },
      {
        type: 'reasoning-details',
        data: `{"type":"openai-responses.item","service":"openai","model":"m","item":${item}}`,
      },
      { type: 'text', text: 'Hi' },
    ])
  })
  test('the same words as text and as summary: one of them speaks (I2)', () => {
    const both = { content: [{ type: 'reasoning_text', text: 'Hm.' }], summary: [{ text: 'Hm.' }] }
    const { result } = read(done(0, reasoning(both)), done(1, message('Hi')), completed)
    expect(result.parts[0]).toEqual({ type: 'thinking', text: 'Hm.' })
  })
  test('an item of nothing but an id is not kept: no service could find it', () => {
    const { result } = read(
      done(0, reasoning({ encrypted_content: null })),
      done(1, message('Hi')),
      completed,
    )
    expect(result.parts).toEqual([{ type: 'text', text: 'Hi' }])
  })
})

describe('createResponsesDecoder: what the service ran itself', () => {
  test('items pass through in their place, known or not', () => {
    const search = { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search' } }
    const { result } = read(
      added(0, { type: 'web_search_call', id: 'ws_1' }),
      { type: 'response.web_search_call.searching', output_index: 0 },
      done(0, search),
      done(1, { type: 'unheard_of', id: 'x' }),
      done(2, message('Hi')),
      completed,
    )
    const [first, second] = result.parts
    expect(first).toEqual({
      type: 'provider-content',
      data: `{"type":"openai-responses.item","service":"openai","model":"m","item":${JSON.stringify(search)}}`,
    })
    expect(second?.type).toBe('provider-content')
    expect(result.stopReason).toBe('end-turn')
  })
  test('a picture is an image, with the item that made it', () => {
    const made = {
      type: 'image_generation_call',
      id: 'ig_1',
      status: 'completed',
      result: '/9j/4AAQSkZJRg==',
    }
    const { result } = read(done(0, { ...made, output_format: 'png' }), completed)
    expect(result.parts).toEqual([
      { type: 'image', source: '/9j/4AAQSkZJRg==', mediaType: 'image/jpeg' },
      { type: 'reasoning-details', data: '{"type":"openai-responses.image","service":"openai","id":"ig_1"}' },
    ])
  })
})

describe('createResponsesDecoder: ends', () => {
  test.each([
    ['max_output_tokens', 'max-tokens'],
    ['content_filter', 'content-filter'],
    ['unheard_of', 'other'],
    [undefined, 'other'],
  ])('response.incomplete, reason %s: %s (H2)', (reason, stop) => {
    const { result } = read(...say('Hi').slice(0, 2), incomplete(reason))
    expect(result).toMatchObject({ text: 'Hi', stopReason: stop, usage: { outputTokens: 5 } })
  })
  test.each([
    ['without its last event', []],
    ['with [DONE] alone', ['[DONE]']],
    [
      'with a response still at work',
      [{ type: 'response.in_progress', response: { status: 'in_progress' } }],
    ],
  ])('an answer that ends %s has no stop (A21)', (_, last) => {
    const { stopped, result } = read(created, ...say('Hi'), ...last)
    expect(stopped).toBe(false)
    expect(result.text).toBe('Hi')
  })
  test('[DONE], heartbeats and events that nobody has heard of are passed over (A16, F6)', () => {
    const unheard = { type: 'response.unheard.of', delta: 'x', item_id: 'msg_1' }
    const { result, error } = read('', ' ', unheard, ...say('Hi'), completed, '[DONE]', { type: 'late' })
    expect(error).toBeUndefined()
    expect(result.text).toBe('Hi')
  })
  test('the whole response at once, as JSON or in its last event', () => {
    const response = {
      object: 'response',
      id: 'resp_3',
      status: 'completed',
      error: null,
      output: [call({ arguments: '{"n": 12345678901234567890}', status: 'completed' }), message('Hi')],
      usage: { input_tokens: 1, output_tokens: 2 },
    }
    const bare = replay(decoder(), [{ text: JSON.stringify(response) }])
    const wrapped = read({ type: 'response.completed', response })
    for (const { result } of [bare, wrapped]) {
      expect(result).toMatchObject({ text: 'Hi', stopReason: 'tool-use', id: 'resp_3' })
      expect(result.toolUses[0]?.input).toBe('{"n": 12345678901234567890}')
      expect(result.usage).toEqual({ inputTokens: 1, outputTokens: 2 })
    }
  })
})
