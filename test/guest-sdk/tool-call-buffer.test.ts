import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { CompletionEvent } from '../../guest-sdk/events.ts'
import { createToolCallBuffer, type ToolCallDelta } from '../../guest-sdk/tool-call-buffer.ts'

type Called = [id: string, name: string, input: string]

function run(deltas: readonly ToolCallDelta[], cutOff?: string) {
  let made = 0
  const events: CompletionEvent[] = []
  const buffer = createToolCallBuffer(() => `new-${++made}`)
  for (const delta of deltas) buffer.push(delta, event => events.push(event))
  const isComplete = buffer.isComplete
  buffer.finish(event => events.push(event), cutOff)
  const calls = events.flatMap((event): Called[] =>
    event.type === 'tool-use' ? [[event.id, event.name, event.input]] : [],
  )
  const broken = events.flatMap((event): Called[] =>
    event.type === 'tool-use-json-parse-error' ? [[event.id, event.name, event.rawInput]] : [],
  )
  return { events, calls, broken, isComplete }
}

const cases: [name: string, deltas: ToolCallDelta[], calls: Called[]][] = [
  [
    'B1 no index: joined to the only open call',
    [{ id: 'a', name: 'f', arguments: '{"x"' }, { arguments: ':1}' }],
    [['a', 'f', '{"x":1}']],
  ],
  [
    'B2 two calls without an index, one a chunk',
    [
      { id: 'a', name: 'get_weather', arguments: '{}' },
      { id: 'b', name: 'get_time', arguments: '{}' },
    ],
    [
      ['a', 'get_weather', '{}'],
      ['b', 'get_time', '{}'],
    ],
  ],
  [
    'B2 without an index, pieces go to the call that began last',
    [
      { id: 'a', name: 'get_weather', arguments: '{"c":1}' },
      { id: 'b', name: 'get_time', arguments: '' },
      { arguments: '{"z"' },
      { arguments: ':2}' },
    ],
    [
      ['a', 'get_weather', '{"c":1}'],
      ['b', 'get_time', '{"z":2}'],
    ],
  ],
  [
    'B4 sparse indexes',
    [
      { index: 1, id: 'a', name: 'f', arguments: '' },
      { index: 3, id: 'b', name: 'g', arguments: '' },
      { index: 1, arguments: '{"x":1}' },
      { index: 3, arguments: '{"y":2}' },
    ],
    [
      ['a', 'f', '{"x":1}'],
      ['b', 'g', '{"y":2}'],
    ],
  ],
  [
    'B4 one index for two calls',
    [
      { index: 0, id: 'a', name: 'f', arguments: '{"x":1}' },
      { index: 0, id: 'b', name: 'g', arguments: '{"y"' },
      { index: 0, arguments: ':2}' },
    ],
    [
      ['a', 'f', '{"x":1}'],
      ['b', 'g', '{"y":2}'],
    ],
  ],
  [
    'B4 one index for two calls of one tool, the second with its arguments still to come',
    [
      { index: 0, id: 'a', name: 'f', arguments: '{"x":1}' },
      { index: 0, id: 'b', name: 'f', arguments: '' },
      { index: 0, id: 'b', arguments: '{"x":2}' },
    ],
    [
      ['a', 'f', '{"x":1}'],
      ['b', 'f', '{"x":2}'],
    ],
  ],
  [
    'B4 the id goes before an index that moves',
    [
      { index: 0, id: 'a', name: 'f', arguments: '{"x"' },
      { index: 1, id: 'a', arguments: ':1}' },
    ],
    [['a', 'f', '{"x":1}']],
  ],
  [
    'one id for two calls, told apart by the index: the second gets an id of its own',
    [
      { index: 0, id: 'same', name: 'f', arguments: '{"x":1}' },
      { index: 1, id: 'same', name: 'f', arguments: '{"x":2}' },
    ],
    [
      ['same', 'f', '{"x":1}'],
      ['new-1', 'f', '{"x":2}'],
    ],
  ],
  [
    'one id and one index for two whole calls',
    [
      { index: 0, id: 'same', name: 'f', arguments: '{"x":1}' },
      { index: 0, id: 'same', name: 'f', arguments: '{"x":2}' },
    ],
    [
      ['same', 'f', '{"x":1}'],
      ['new-1', 'f', '{"x":2}'],
    ],
  ],
  [
    'the whole call once more at the end',
    [
      { index: 0, id: 'a', name: 'f', arguments: '{"x":' },
      { index: 0, arguments: '1}' },
      { index: 0, id: 'a', name: 'f', arguments: '{"x":1}' },
    ],
    [['a', 'f', '{"x":1}']],
  ],
  [
    'B5 a blank id continues; B6 a blank name neither begins a call nor erases the name',
    [
      { index: 0, id: 'a', name: 'f', arguments: '' },
      { index: 0, id: '', name: '', arguments: '{"x"' },
      { index: 0, id: ' ', name: '', arguments: ':1}' },
    ],
    [['a', 'f', '{"x":1}']],
  ],
  [
    'B5 a blank id at the start is replaced',
    [
      { index: 0, id: '', name: 'f', arguments: '{}' },
      { index: 1, id: '', name: 'f', arguments: '{}' },
    ],
    [
      ['new-1', 'f', '{}'],
      ['new-2', 'f', '{}'],
    ],
  ],
  [
    'B8 the id on the first piece only',
    [
      { index: 0, id: 'a', name: 'f' },
      { index: 0, arguments: '{"x":1}' },
    ],
    [['a', 'f', '{"x":1}']],
  ],
  [
    'B9 id and name on every piece',
    [
      { index: 0, id: 'a', name: 'f', arguments: '' },
      { index: 0, id: 'a', name: 'f', arguments: '{"x":{"y"' },
      { index: 0, id: 'a', name: 'f', arguments: ':{"z":1}}' },
      { index: 0, id: 'a', name: 'f', arguments: '}' },
    ],
    [['a', 'f', '{"x":{"y":{"z":1}}}']],
  ],
  [
    'a new id on every piece',
    [
      { index: 0, id: 'a1', name: 'f', arguments: '{"x"' },
      { index: 0, id: 'a2', arguments: ':' },
      { index: 0, id: 'a3', arguments: '1}' },
    ],
    [['a1', 'f', '{"x":1}']],
  ],
  [
    'a new id on every piece, and no index',
    [
      { id: 'a1', name: 'f', arguments: '{"x"' },
      { id: 'a2', arguments: ':1}' },
    ],
    [['a1', 'f', '{"x":1}']],
  ],
  [
    'B11 arguments of two calls in turns',
    [
      { index: 0, id: 'a', name: 'f', arguments: '' },
      { index: 1, id: 'b', name: 'g', arguments: '' },
      { index: 0, arguments: '{"x"' },
      { index: 1, arguments: '{"y"' },
      { index: 0, arguments: ':1}' },
      { index: 1, arguments: ':2}' },
    ],
    [
      ['a', 'f', '{"x":1}'],
      ['b', 'g', '{"y":2}'],
    ],
  ],
  [
    'B13 more arguments after a whole object',
    [
      { index: 0, id: 'a', name: 'f', arguments: '{"cmd":"ls"}' },
      { index: 0, arguments: ' \n' },
    ],
    [['a', 'f', '{"cmd":"ls"} \n']],
  ],
  [
    'B13 1 becomes 12',
    [
      { index: 0, id: 'a', name: 'f', arguments: '1' },
      { index: 0, arguments: '2' },
    ],
    [['a', 'f', '12']],
  ],
  ['B14 arguments empty', [{ index: 0, id: 'a', name: 'f', arguments: '' }], [['a', 'f', '{}']]],
  ['B14 arguments null', [{ index: 0, id: 'a', name: 'f', arguments: null }], [['a', 'f', '{}']]],
  ['B14 arguments missing', [{ index: 0, id: 'a', name: 'f' }], [['a', 'f', '{}']]],
  ['B14 the word null', [{ index: 0, id: 'a', name: 'f', arguments: 'null' }], [['a', 'f', '{}']]],
  ['B14 blanks', [{ index: 0, id: 'a', name: 'f', arguments: ' \n ' }], [['a', 'f', '{}']]],
  [
    'B15 arguments as an object',
    [{ index: 0, id: 'a', name: 'f', arguments: { x: 1 } }],
    [['a', 'f', '{"x":1}']],
  ],
  [
    'B15 an object in pieces',
    [
      { index: 0, id: 'a', name: 'f', arguments: { x: 1 } },
      { index: 0, arguments: { y: [2] } },
    ],
    [['a', 'f', '{"x":1,"y":[2]}']],
  ],
  [
    'N9 __proto__ in an object is a plain key',
    [
      { index: 0, id: 'a', name: 'f', arguments: JSON.parse('{"__proto__":{"x":1}}') as object },
      { index: 0, arguments: { y: 2 } },
    ],
    [['a', 'f', '{"__proto__":{"x":1},"y":2}']],
  ],
  [
    'J5 large numbers',
    [{ index: 0, id: 'a', name: 'f', arguments: '{"id": 12345678901234567890}' }],
    [['a', 'f', '{"id": 12345678901234567890}']],
  ],
  [
    'arguments before the name',
    [
      { index: 0, id: 'a', arguments: '{"x"' },
      { index: 0, name: 'f', arguments: ':1}' },
    ],
    [['a', 'f', '{"x":1}']],
  ],
  [
    'placeholders begin nothing',
    [
      { index: 0 },
      { index: 0, id: '', name: '', arguments: '' },
      { index: 0, id: 'a', name: 'f', arguments: '{}' },
    ],
    [['a', 'f', '{}']],
  ],
  ['a number as id', [{ index: 0, id: 7, name: 'f', arguments: '{}' }], [['7', 'f', '{}']]],
]

test.each(cases)('createToolCallBuffer: %s', (_, deltas, calls) => {
  const result = run(deltas)
  expect(result.calls).toEqual(calls)
  expect(result.broken).toEqual([])
  expect(result.isComplete).toBe(calls.every(([, , input]) => input.trimEnd().endsWith('}')))
})

test.each(cases)('createToolCallBuffer: the deltas of a call joined are its input: %s', (_, deltas) => {
  const { events, calls } = run(deltas)
  for (const [id, , input] of calls) {
    const told = events.flatMap(event =>
      event.type === 'tool-input-delta' && event.id === id ? [event.delta] : [],
    )
    expect(told.join('')).toBe(input)
  }
})

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
