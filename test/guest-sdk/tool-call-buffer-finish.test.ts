import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createToolCallBuffer, type ToolCallDelta } from '../../guest-sdk/tool-call-buffer.ts'
import { run } from './run-tool-calls.ts'

test('createToolCallBuffer: what is no JSON is never a call (B16)', () => {
  const { calls, broken, isComplete } = run([{ index: 0, id: 'a', name: 'f', arguments: '{"x": once}' }])
  expect(calls).toEqual([])
  expect(broken).toEqual([['a', 'f', '{"x": once}']])
  expect(isComplete).toBe(false)
})

test.each([
  ['a string', '{"x":"once upon'],
  ['nothing yet', ''],
  ['a number that could go on', '1'],
])('createToolCallBuffer: cut off in %s is no call (B17)', (_, text) => {
  const { calls, events } = run([{ index: 0, id: 'a', name: 'f', arguments: text }], 'It was cut off.')
  expect(calls).toEqual([])
  expect(events.at(-1)).toEqual({
    type: 'tool-use-json-parse-error',
    id: 'a',
    name: 'f',
    rawInput: text,
    error: 'It was cut off.',
  })
})

test('createToolCallBuffer: of two calls only the one that was cut off is broken', () => {
  const { calls, broken } = run(
    [
      { index: 0, id: 'a', name: 'f', arguments: '{"x":1}' },
      { index: 1, id: 'b', name: 'g', arguments: '{"y":' },
    ],
    'It was cut off.',
  )
  expect(calls).toEqual([['a', 'f', '{"x":1}']])
  expect(broken).toEqual([['b', 'g', '{"y":']])
})

test('createToolCallBuffer: a call that is never named is reported, not run', () => {
  expect(run([{ index: 0, id: 'a', arguments: '{}' }]).broken).toEqual([['a', 'unknown', '{}']])
})

test('createToolCallBuffer: ids made here have nine letters and digits, and differ', () => {
  const ids = new Set<string>()
  const buffer = createToolCallBuffer()
  for (let index = 0; index < 100; index++) buffer.push({ index, name: 'f', arguments: '{}' }, () => {})
  buffer.finish(event => event.type === 'tool-use' && ids.add(event.id))
  expect(ids.size).toBe(100)
  for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9]{9}$/)
})

test('createToolCallBuffer: any calls, in any pieces and any turn, come out whole', () => {
  const call = fc.record({
    name: fc.constantFrom('f', 'g', 'h'),
    input: fc.dictionary(fc.string(), fc.jsonValue()).map(value => JSON.stringify(value)),
    cuts: fc.array(fc.nat(), { maxLength: 6 }),
  })
  fc.assert(
    fc.property(
      fc.array(call, { minLength: 1, maxLength: 4 }),
      fc.infiniteStream(fc.nat()),
      fc.constantFrom('index only', 'id only', 'both'),
      (calls, turns, labels) => {
        const pieces = calls.map(({ name, input, cuts }, at) => {
          const edges = [0, ...cuts.map(cut => cut % (input.length + 1)).sort((a, b) => a - b), input.length]
          return edges.slice(1).map(
            (edge, place): ToolCallDelta => ({
              ...(labels !== 'id only' && { index: at }),
              ...((labels !== 'index only' || place === 0) && { id: `call-${at}` }),
              ...(place === 0 && { name }),
              arguments: input.slice(edges[place], edge),
            }),
          )
        })
        // The first pieces in order, since that is the order of the calls; the rest in any turn.
        const order = pieces.map(([first]) => first as ToolCallDelta)
        const rest = pieces.map(list => list.slice(1))
        while (rest.some(list => list.length > 0)) {
          const open = rest.filter(list => list.length > 0)
          order.push(open[turns.next().value % open.length]!.shift()!)
        }
        expect(run(order).calls).toEqual(calls.map(({ name, input }, at) => [`call-${at}`, name, input]))
      },
    ),
  )
})
