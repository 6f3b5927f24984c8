import { expect, test } from 'vitest'
import type { ToolCallDelta } from '../../guest-sdk/tool-call-buffer.ts'
import { type Called, run } from './run-tool-calls.ts'

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
