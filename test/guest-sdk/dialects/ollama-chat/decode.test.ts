import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createOllamaDecoder } from '../../../../guest-sdk/dialects/ollama-chat/index.ts'
import type { CompletionEvent } from '../../../../guest-sdk/events.ts'
import { ProviderError } from '../../../../guest-sdk/provider-error.ts'
import { createFramer } from '../../../../host/http/frames.ts'
import { cutAt, cutPositions, oneByOne } from '../../../servers/cuts.ts'
import { repoRoot } from '../../../support/repo-root.ts'
import { hasRecording } from '../replay.ts'

interface Told {
  events: CompletionEvent[]
  error?: ProviderError
}

function read(pieces: readonly Uint8Array[]): Told {
  const framer = createFramer('lines')
  const frames = [...pieces.flatMap(piece => framer.push(piece)), ...framer.end()]
  let made = 0
  const decoder = createOllamaDecoder({ newToolCallId: () => `new-${++made}` })
  const events: CompletionEvent[] = []
  try {
    for (const frame of frames) {
      if (frame.tag === 'text') decoder.frame({ text: frame.val }, event => events.push(event))
    }
    decoder.end?.(event => events.push(event))
    return { events }
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    return { events, error }
  }
}

const lines = (...chunks: (object | string)[]) =>
  Buffer.from(chunks.map(chunk => `${typeof chunk === 'string' ? chunk : JSON.stringify(chunk)}\n`).join(''))
const said = (message: object, rest: object = {}) => ({
  model: 'm',
  message: { role: 'assistant', ...message },
  done: false,
  ...rest,
})
const done = (reason?: string) => ({
  ...said({ content: '' }),
  done: true,
  ...(reason !== undefined && { done_reason: reason }),
  prompt_eval_count: 5,
  eval_count: 3,
})
const model: CompletionEvent = { type: 'response-metadata', model: 'm' }
const usage: CompletionEvent = { type: 'usage', inputTokens: 5, outputTokens: 3 }

function everyCut(body: Buffer): void {
  const whole = read([body])
  for (const at of cutPositions(body.length, body.length > 16_000 ? 500 : body.length + 1)) {
    expect(read(cutAt(body, at)), `cut at ${at}`).toEqual(whole)
  }
  expect(read(oneByOne(body)), 'one byte at a time').toEqual(whole)
}

test('the recorded answer, at every cut', ({ skip }) => {
  if (!hasRecording('ollama.native-chat.ndjson')) skip('the recordings are not beside the repository')
  const body = readFileSync(join(repoRoot, '../shared/fixtures/ollama.native-chat.ndjson'))
  expect(read([body])).toEqual({
    events: [
      { type: 'response-metadata', model: 'qwen3:32b' },
      { type: 'thinking', text: 'Okay' },
      { type: 'thinking', text: ',' },
      { type: 'usage', inputTokens: 15, outputTokens: 20 },
      { type: 'stop', reason: 'max-tokens' },
    ],
  })
  everyCut(body)
})

describe('createOllamaDecoder', () => {
  test('calls: whole in a line, several in one, two of one name in two lines (A25, B2, B15, J5)', () => {
    const call = '{"function":{"name":"look","arguments":{"id": 12345678901234567890}}}'
    const body = Buffer.concat([
      lines(
        `{"model":"m","message":{"role":"assistant","content":"Ich schaue 好 😀.","tool_calls":[${call},${call}]},"done":false}`,
      ),
      lines(
        said({ content: '', tool_calls: [{ id: 'x', function: { index: 0, name: 'look', arguments: {} } }] }),
      ),
      lines(done('stop')),
    ])
    const args = '{"id": 12345678901234567890}'
    expect(read([body]).events).toEqual([
      model,
      { type: 'text', text: 'Ich schaue 好 😀.' },
      { type: 'tool-input-delta', id: 'new-1', name: 'look', delta: args },
      { type: 'tool-use', id: 'new-1', name: 'look', input: args },
      { type: 'tool-input-delta', id: 'new-2', name: 'look', delta: args },
      { type: 'tool-use', id: 'new-2', name: 'look', input: args },
      { type: 'tool-input-delta', id: 'x', name: 'look', delta: '{}' },
      { type: 'tool-use', id: 'x', name: 'look', input: '{}' },
      usage,
      { type: 'stop', reason: 'tool-use' },
    ])
    everyCut(body)
  })

  test.each([
    ['nothing', undefined, '{}'],
    ['null', null, '{}'],
    ['a blank text', ' ', '{}'],
    ['a text', '{"a":1}', '{"a":1}'],
  ])('arguments that are %s (B14)', (_, args, input) => {
    const body = lines(said({ tool_calls: [{ function: { name: 'look', arguments: args } }] }), done('stop'))
    expect(read([body]).events).toContainEqual({ type: 'tool-use', id: 'new-1', name: 'look', input })
  })

  test('arguments that are no JSON, and a call without a name, are not run (B16)', () => {
    const body = lines(
      said({
        tool_calls: [
          { function: { name: 'look', arguments: '{"a":' } },
          { function: { name: '', arguments: {} } },
        ],
      }),
      done('stop'),
    )
    const { events } = read([body])
    expect(events.filter(({ type }) => type === 'tool-use')).toEqual([])
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'tool-use-json-parse-error', name: 'look', rawInput: '{"a":' }),
    )
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'tool-use-json-parse-error', name: 'unknown' }),
    )
  })

  test('an id that is taken is replaced', () => {
    const call = { id: 'x', function: { name: 'look', arguments: {} } }
    const { events } = read([lines(said({ tool_calls: [call, call] }), done('stop'))])
    expect(events.flatMap(event => (event.type === 'tool-use' ? [event.id] : []))).toEqual(['x', 'new-1'])
  })

  test.each([
    ['stop', 'end-turn'],
    ['length', 'max-tokens'],
    ['load', 'other'],
    ['a reason nobody has heard of', 'other'],
    ['', 'end-turn'],
    [undefined, 'end-turn'],
  ])('done_reason %j is %s (C1, C4)', (reason, expected) => {
    expect(read([lines(said({ content: 'Hi' }), done(reason))]).events).toEqual([
      model,
      { type: 'text', text: 'Hi' },
      usage,
      { type: 'stop', reason: expected },
    ])
  })

  test('CRLF, blank lines, no line end at the end, what comes behind the end (A8, A25)', () => {
    const body = `${JSON.stringify(said({ content: 'Hi' }))}\r\n\r\n\n${JSON.stringify(done('stop'))}`
    const { events } = read([Buffer.from(body)])
    expect(events).toEqual([model, { type: 'text', text: 'Hi' }, usage, { type: 'stop', reason: 'end-turn' }])
    everyCut(Buffer.from(body))
    const late = lines(said({ content: 'Hi' }), done('stop'), said({ content: 'late' }))
    expect(read([late]).events).toEqual(events)
  })

  test('counts that are none are passed over; a prompt that is remembered has no count', () => {
    const { prompt_eval_count: _, ...end } = done('stop')
    const { events } = read([lines(said({ content: 'Hi' }), { ...end, total_duration: -1 })])
    expect(events).toContainEqual({ type: 'usage', inputTokens: 0, outputTokens: 3 })
  })

  test('a body that ends with nothing to say why has no stop (A21)', () => {
    const { events, error } = read([lines(said({ content: 'Hi' }))])
    expect([events.at(-1), error]).toEqual([{ type: 'text', text: 'Hi' }, undefined])
  })
})

describe('errors (D1, D5, D7, D11)', () => {
  test.each([
    ['first', [], { error: 'model "x" not found, try pulling it first' }, /not found/],
    [
      'in the middle',
      [said({ content: 'Hi' })],
      { error: 'an error was encountered while running the model' },
      /an error was/,
    ],
    ['as an object', [], { error: { message: 'no memory', code: 500 } }, /no memory/],
    ['a page of a proxy (D8)', [], '<html><title>502 Bad Gateway</title></html>', /502 Bad Gateway/],
    ['a line that is no JSON', [], 'oops', /expected a JSON object, got: oops/],
    ['a line that is cut off', [], '{"model":"m","mess', /expected a JSON object/],
  ])('%s', (_, before, last, words) => {
    const { events, error } = read([lines(...before, last)])
    expect(error?.message).toMatch(words)
    expect(events.filter(({ type }) => type === 'text')).toHaveLength(before.length)
    expect(events.some(({ type }) => type === 'stop')).toBe(false)
  })
})
