import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { CompletionEvent } from '../../../host/contract/events.ts'
import { readGuestEvent } from '../../../host/contract/guest-event.ts'
import { createOrderLaw } from '../../../host/contract/order-law.ts'

// Whatever a component with types of its own may lift: any value under any name, a well-formed event now and then.
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('', '__proto__', '{}', '{"a":', '\ud83d'),
)
const count = fc.oneof(fc.bigInt(), fc.double(), fc.constant(Number.NaN))
const value = fc.oneof(
  text,
  count,
  fc.boolean(),
  fc.constant(null),
  fc.constant(undefined),
  fc.object({ maxDepth: 1 }),
)
const tag = fc.constantFrom(
  'started',
  'text',
  'thinking',
  'redacted-thinking',
  'tool-input-delta',
  'tool-use',
  'tool-use-json-parse-error',
  'image',
  'citation',
  'stop',
  'usage',
  'reasoning-details',
  'provider-content',
  'response-metadata',
  'failed',
  '__proto__',
  'constructor',
)
const fields = fc.dictionary(
  fc.constantFrom(
    'id',
    'name',
    'toolName',
    'toolUseId',
    'text',
    'signature',
    'input',
    'delta',
    'isInputComplete',
    'inputTokens',
    'outputTokens',
    'rawInput',
    'error',
    'source',
    'width',
    'kind',
    'message',
    'status',
    'retryAfterMs',
    '__proto__',
    'type',
  ),
  value,
)
const call = fc.record({
  tag: fc.constant('tool-use'),
  val: fc.record({ id: text, name: text, input: text, isInputComplete: fc.boolean() }),
})
const good = fc.oneof(
  fc.record({ tag: fc.constant('text'), val: text }),
  fc.record({
    tag: fc.constant('stop'),
    val: fc.constantFrom('end-turn', 'max-tokens', 'tool-use', 'nobody-knows'),
  }),
  fc.record({ tag: fc.constant('usage'), val: fc.record({ inputTokens: count, outputTokens: count }) }),
  call,
)
const anything = fc.oneof(fc.record({ tag, val: fc.oneof(value, fields) }), value)
const events = fc.array(fc.oneof({ weight: 3, arbitrary: good }, { weight: 1, arbitrary: anything }), {
  maxLength: 40,
})

test('any sequence of any values either keeps the law of the stream or is refused with a TypeError', () => {
  fc.assert(
    fc.property(events, sequence => {
      const law = createOrderLaw()
      const seen: CompletionEvent[] = []
      const emit = (event: CompletionEvent) => seen.push(event)
      let ended = false
      try {
        let failed: unknown
        for (const one of sequence) failed ??= law.accept(readGuestEvent(one), emit)
        ended = failed === undefined && law.end(emit)
      } catch (error) {
        expect(error).toBeInstanceOf(TypeError)
      }
      const types = seen.map(({ type }) => type)
      if (types.length > 0 && types[0] !== 'usage')
        expect(types[0] === 'started' || types[0] === 'stop').toBe(true)
      expect(types.filter(type => type === 'started').length).toBeLessThanOrEqual(1)
      expect(types.filter(type => type === 'stop').length).toBe(ended ? 1 : 0)
      if (ended) expect(types.at(-1)).toBe('stop')
      expect(types.lastIndexOf('usage')).toBeGreaterThanOrEqual(
        types.includes('usage') ? types.length - 2 : -1,
      )
      const ids = seen.flatMap(one =>
        one.type === 'tool-use' || one.type === 'tool-use-json-parse-error' ? [one.id] : [],
      )
      expect(new Set(ids).size).toBe(ids.length)
      for (const one of seen) {
        expect(Object.getPrototypeOf(one)).toBe(Object.prototype)
        if (one.type === 'tool-use') JSON.parse(one.input)
        for (const field of Object.values(one)) {
          if (typeof field === 'number') expect(Number.isFinite(field) && field >= 0).toBe(true)
          expect(['string', 'number']).toContain(typeof field)
        }
      }
      expect('polluted' in {}).toBe(false)
    }),
    { numRuns: 2_000 },
  )
})
