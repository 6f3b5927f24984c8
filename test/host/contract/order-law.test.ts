import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CompletionEvent } from '../../../host/contract/events.ts'
import { type GuestEvent, readGuestEvent } from '../../../host/contract/guest-event.ts'
import { createOrderLaw } from '../../../host/contract/order-law.ts'

const stop = (reason: (CompletionEvent & { type: 'stop' })['reason']): GuestEvent => ({
  type: 'stop',
  reason,
})
const call = (id: string, input: string): GuestEvent => ({ type: 'tool-use', id, name: 'look', input })

function run(events: GuestEvent[]): CompletionEvent[] {
  const law = createOrderLaw()
  const seen: CompletionEvent[] = []
  for (const event of events) law.accept(event, seen.push.bind(seen))
  law.end(seen.push.bind(seen))
  return seen
}

describe('createOrderLaw', () => {
  test('puts started first, usage right before stop, whatever the guest sent when', () => {
    const usage: GuestEvent = { type: 'usage', inputTokens: 3, outputTokens: 0 }
    expect(
      run([
        usage,
        { type: 'text', text: 'a' },
        { type: 'started' },
        { type: 'text', text: 'b' },
        stop('end-turn'),
      ]),
    ).toEqual([
      { type: 'started' },
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
      { type: 'usage', inputTokens: 3, outputTokens: 0 },
      { type: 'stop', reason: 'end-turn' },
    ])
  })

  test('merges usage field by field, also what comes after stop', () => {
    const events = run([
      { type: 'usage', inputTokens: 10, outputTokens: 1, cacheReadInputTokens: 4 },
      stop('end-turn'),
      { type: 'usage', inputTokens: 10, outputTokens: 7 },
    ])
    expect(events.at(-2)).toEqual({
      type: 'usage',
      inputTokens: 10,
      outputTokens: 7,
      cacheReadInputTokens: 4,
    })
  })

  test('says that an answer without stop is not complete', () => {
    const law = createOrderLaw()
    law.accept({ type: 'text', text: 'a' }, () => {})
    expect(law.end(() => {})).toBe(false)
  })

  test('refuses an event after stop', () => {
    const law = createOrderLaw()
    law.accept(stop('end-turn'), () => {})
    expect(() => law.accept({ type: 'text', text: 'late' }, () => {})).toThrow('a text event after stop')
  })

  test.each(['', '  ', '\n'])('makes {} of empty arguments %j', input => {
    expect(run([call('a', input), stop('tool-use')])).toContainEqual({
      type: 'tool-use',
      id: 'a',
      name: 'look',
      input: '{}',
    })
  })

  test('keeps the arguments of a call as the text that came', () => {
    const input = '{"id": 12345678901234567890, "__proto__": {"a": 1}}'
    expect(run([call('a', input), stop('tool-use')])).toContainEqual({
      type: 'tool-use',
      id: 'a',
      name: 'look',
      input,
    })
  })

  test('turns broken arguments into a parse error, and says cut off where the answer was', () => {
    const broken = run([call('a', '{"x":'), stop('tool-use')]).find(
      event => event.type === 'tool-use-json-parse-error',
    )
    expect(broken).toMatchObject({
      id: 'a',
      name: 'look',
      rawInput: '{"x":',
      error: expect.stringContaining('JSON'),
    })
    const cut = run([call('a', '{"x":'), stop('max-tokens')]).find(
      event => event.type === 'tool-use-json-parse-error',
    )
    expect(cut).toMatchObject({
      error: 'the answer was cut off (max-tokens) inside the arguments of this call',
    })
  })

  test('reports a call whose arguments never became complete', () => {
    const events = run([
      { type: 'incomplete-tool-use', id: 'a', name: 'look', input: '{"x"' },
      stop('end-turn'),
    ])
    expect(events).toContainEqual({
      type: 'tool-use-json-parse-error',
      id: 'a',
      name: 'look',
      rawInput: '{"x"',
      error: 'the answer ended before the arguments of this call were complete',
    })
  })

  test('gives every call an id of its own, and its deltas the same', () => {
    const delta = (id: string): GuestEvent => ({ type: 'tool-input-delta', id, name: 'look', delta: '{}' })
    const events = run([
      delta('a'),
      call('a', '{}'),
      delta('a'),
      call('a', '{}'),
      call('', '{}'),
      call('', '{}'),
      stop('tool-use'),
    ])
    const ids = events.flatMap(event => (event.type === 'tool-use' ? [event.id] : []))
    expect(new Set(ids).size).toBe(4)
    expect(ids[0]).toBe('a')
    const deltas = events.flatMap(event => (event.type === 'tool-input-delta' ? [event.id] : []))
    expect(deltas).toEqual([ids[0], ids[1]])
  })

  test('says tool-use where a service said that the turn ended, and leaves length alone', () => {
    expect(run([call('a', '{}'), stop('end-turn')]).at(-1)).toEqual({ type: 'stop', reason: 'tool-use' })
    expect(run([call('a', '{}'), stop('max-tokens')]).at(-1)).toEqual({ type: 'stop', reason: 'max-tokens' })
  })

  test('hands back the failure of a guest', () => {
    const error = { kind: 'overloaded', message: 'busy' } as const
    expect(createOrderLaw().accept({ type: 'failed', error }, () => {})).toBe(error)
  })

  test('holds for any sequence of events', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 8 })
    const event: fc.Arbitrary<GuestEvent> = fc.oneof(
      fc.constant<GuestEvent>({ type: 'started' }),
      fc.record({ type: fc.constant('text' as const), text }),
      fc.record({ type: fc.constant('thinking' as const), text }),
      fc.record({ type: fc.constant('tool-input-delta' as const), id: text, name: text, delta: text }),
      fc.record({ type: fc.constant('tool-use' as const), id: text, name: text, input: text }),
      fc.record({ type: fc.constant('incomplete-tool-use' as const), id: text, name: text, input: text }),
      fc.record({ type: fc.constant('usage' as const), inputTokens: fc.nat(), outputTokens: fc.nat() }),
    )
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), events => {
        const seen = run([...events, stop('end-turn')])
        const types = seen.map(({ type }) => type)
        expect(types.indexOf('stop')).toBe(types.length - 1)
        expect(types.filter(type => type === 'started').length).toBe(types.length === 1 ? 0 : 1)
        expect(types.filter(type => type === 'usage').length).toBeLessThanOrEqual(1)
        if (types.includes('usage')) expect(types.at(-2)).toBe('usage')
        const ids = seen.flatMap(one =>
          one.type === 'tool-use' || one.type === 'tool-use-json-parse-error' ? [one.id] : [],
        )
        expect(new Set(ids).size).toBe(ids.length)
        for (const one of seen) if (one.type === 'tool-use') JSON.parse(one.input)
      }),
    )
  })
})

describe('readGuestEvent', () => {
  test.each([
    [
      { tag: 'text', val: 'a' },
      { type: 'text', text: 'a' },
    ],
    [
      { tag: 'thinking', val: { text: 'a', signature: undefined } },
      { type: 'thinking', text: 'a' },
    ],
    [
      { tag: 'usage', val: { inputTokens: 5n, outputTokens: 2n ** 60n } },
      { type: 'usage', inputTokens: 5, outputTokens: Number.MAX_SAFE_INTEGER },
    ],
    [
      { tag: 'stop', val: 'a-reason-nobody-has-heard-of' },
      { type: 'stop', reason: 'other' },
    ],
    [
      { tag: 'citation', val: { url: 'https://a.example', title: undefined, text: undefined } },
      { type: 'citation', url: 'https://a.example' },
    ],
    [
      { tag: 'tool-use', val: { id: 'a', name: 'b', input: '{', isInputComplete: false } },
      { type: 'incomplete-tool-use', id: 'a', name: 'b', input: '{' },
    ],
    [
      { tag: 'failed', val: { kind: 'overloaded', message: 'm', status: 529, code: 'c', retryAfterMs: 5n } },
      {
        type: 'failed',
        error: { kind: 'overloaded', message: 'm', status: 529, providerCode: 'c', retryAfterMs: 5 },
      },
    ],
  ])('reads what jco lifted, case %#', (value, event) => {
    expect(readGuestEvent(value)).toEqual(event)
  })

  test.each([
    [null],
    [{ tag: 'text', val: 5 }],
    [{ tag: 'nonsense', val: '' }],
    [{ tag: 'usage' }],
    [{ tag: 'tool-use', val: { id: 1 } }],
  ])('refuses %j', value => {
    expect(() => readGuestEvent(value)).toThrow(TypeError)
  })
})
