import fc from 'fast-check'
import { expect, test } from 'vitest'
import { replay } from '../replay.ts'
import { added, completed, created, decoder, done } from './answer.ts'

const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
const item = fc.oneof(
  words.map(text => ({ kind: 'message' as const, text })),
  words.map(text => ({ kind: 'reasoning' as const, text })),
  fc
    .dictionary(fc.string(), fc.integer())
    .map(args => ({ kind: 'call' as const, text: JSON.stringify(args) })),
)
type Item = { kind: 'message' | 'reasoning' | 'call'; text: string }

function wire(
  { kind, text }: Item,
  at: number,
): { start: object; delta(piece: string): object; end: object } {
  const place = { output_index: at, item_id: `i${at}` }
  const id = place.item_id
  switch (kind) {
    case 'message':
      return {
        start: added(at, { type: 'message', id, content: [] }),
        delta: delta => ({ type: 'response.output_text.delta', ...place, content_index: 0, delta }),
        end: done(at, { type: 'message', id, content: [{ type: 'output_text', text }] }),
      }
    case 'reasoning':
      return {
        start: added(at, { type: 'reasoning', id, summary: [] }),
        delta: delta => ({
          type: 'response.reasoning_summary_text.delta',
          ...place,
          summary_index: 0,
          delta,
        }),
        end: done(at, { type: 'reasoning', id, summary: [{ type: 'summary_text', text }] }),
      }
    case 'call': {
      const head = { type: 'function_call', id, call_id: `call_${at}`, name: 'look' }
      return {
        start: added(at, { ...head, arguments: '', status: 'in_progress' }),
        delta: delta => ({ type: 'response.function_call_arguments.delta', ...place, delta }),
        end: done(at, { ...head, arguments: text, status: 'completed' }),
      }
    }
    default:
      return kind satisfies never
  }
}

/** The events of each item in their order, those of all items shuffled together; some pieces are lost. */
const streams = fc
  .array(item, { minLength: 1, maxLength: 4 })
  .chain(items =>
    fc.tuple(
      fc.constant(items),
      fc.tuple(...items.map(({ text }) => fc.tuple(fc.nat(text.length), fc.boolean()))),
      fc.infiniteStream(fc.nat()),
    ),
  )
  .map(([items, cuts, picks]) => {
    const queues = items.map((item, at) => {
      const [cut, isLost] = cuts[at]!
      const { start, delta, end } = wire(item, at)
      const pieces = [item.text.slice(0, cut), ...(isLost ? [] : [item.text.slice(cut)])].filter(Boolean)
      return [start, ...pieces.map(delta), end]
    })
    const shuffled: object[] = []
    while (queues.some(queue => queue.length > 0)) {
      const open = queues.filter(queue => queue.length > 0)
      shuffled.push(open[picks.next().value % open.length]!.shift()!)
    }
    return { items, events: [created, ...shuffled, completed] }
  })

test('createResponsesDecoder: however the events of items are cut and mixed, each item is told as it is, once', () => {
  fc.assert(
    fc.property(streams, ({ items, events }) => {
      const {
        events: told,
        result,
        error,
      } = replay(
        decoder(),
        events.map(event => ({ data: JSON.stringify(event) })),
      )
      expect(error).toBeUndefined()
      const lengthOf = (kind: Item['kind']) =>
        items.filter(item => item.kind === kind).reduce((sum, { text }) => sum + text.length, 0)
      expect(result.text).toHaveLength(lengthOf('message'))
      const thinking = told.flatMap(event => (event.type === 'thinking' ? [event.text] : [])).join('')
      expect(thinking).toHaveLength(lengthOf('reasoning'))
      const calls = items.flatMap(({ kind, text }, at) => (kind === 'call' ? [[`call_${at}`, text]] : []))
      expect(new Map(result.toolUses.map(({ id, input }) => [id, input]))).toEqual(new Map(calls as never))
      for (const [id, input] of calls) {
        const deltas = told.flatMap(event =>
          event.type === 'tool-input-delta' && event.id === id ? [event.delta] : [],
        )
        expect(deltas.join('')).toBe(input)
      }
      expect(result.stopReason).toBe(calls.length > 0 ? 'tool-use' : 'end-turn')
    }),
  )
})

test('createResponsesDecoder: whatever comes, events or an error of the provider, and nothing behind a stop', () => {
  const odd = fc.oneof(
    fc.json(),
    fc.string(),
    fc
      .record({
        type: fc.constantFrom(
          'response.output_item.added',
          'response.output_item.done',
          'response.output_text.delta',
          'response.function_call_arguments.delta',
          'response.function_call_arguments.done',
          'response.completed',
          'response.incomplete',
          'error',
        ),
        item: fc.oneof(
          fc.jsonValue(),
          fc.record({ type: fc.constantFrom('message', 'function_call', 'reasoning') }),
        ),
        output_index: fc.jsonValue(),
        delta: fc.jsonValue(),
        arguments: fc.jsonValue(),
        response: fc.jsonValue(),
      })
      .map(value => JSON.stringify(value)),
  )
  fc.assert(
    fc.property(fc.array(odd, { maxLength: 6 }), lines => {
      // `replay` throws for any other error, and for an event behind a stop.
      replay(
        decoder(),
        lines.map(data => ({ data })),
      )
    }),
  )
})
