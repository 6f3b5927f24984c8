import { describe, expect, test } from 'vitest'
import type { CompletionEvent } from '../../../../host/contract/events.ts'
import { partialAnswers } from '../../../../host/runtime/structured/partial-answers.ts'

async function* saying(pieces: Iterable<string>, failure?: Error): AsyncGenerator<CompletionEvent> {
  yield { type: 'started' }
  for (const text of pieces) yield { type: 'text', text }
  if (failure) throw failure
  yield { type: 'stop', reason: 'end-turn' }
}

const all = (pieces: Iterable<string>) => Array.fromAsync(partialAnswers(saying(pieces)))

describe('partialAnswers', () => {
  test('each has more, texts piece by piece, numbers whole', async () => {
    expect(await all(['{"na', 'me":"A', 'da","n":1', '2,"tags":["x', '"]}'])).toEqual([
      {},
      { name: 'A' },
      { name: 'Ada' },
      { name: 'Ada', n: 12, tags: ['x'] },
    ])
  })

  test('each is a copy of its own', async () => {
    const seen: unknown[] = []
    for await (const part of partialAnswers(saying(['{"a":[1', ',2', ',3]}']))) {
      seen.push(part)
      if (Array.isArray(part)) part.push('mine')
    }
    expect(seen).toEqual([{ a: [] }, { a: [1] }, { a: [1, 2, 3] }])
  })

  test.each<[string, string[], unknown]>([
    ['a fence', ['```json\n', '{"a":', '1}\n```'], { a: 1 }],
    ['prose around it', ['Sure, ', 'here: {"a"', ':1} Good?'], { a: 1 }],
    ['a list', [' [1,', '2]'], [1, 2]],
    ['a text', ['"re', 'd"'], 'red'],
    ['a number', ['4', '2'], 42],
    ['what was cut off', ['{"a":"b', 'c'], { a: 'bc' }],
    ['__proto__', ['{"__proto__":', '{"x":1}}'], JSON.parse('{"__proto__":{"x":1}}')],
  ])('the last of %s', async (_name, pieces, last) => {
    expect((await all(pieces)).at(-1)).toStrictEqual(last)
  })

  test.each([
    ['prose', ['I do not', ' know.']],
    ['nothing', []],
  ])('none of %s', async (_name, pieces) => {
    expect(await all(pieces)).toEqual([])
  })

  test('a failure of the answer comes behind what there was', async () => {
    const failure = new Error('lost')
    const parts = partialAnswers(saying(['{"a":1', '}'], failure))
    expect(await parts.next()).toMatchObject({ value: {} })
    expect(await parts.next()).toMatchObject({ value: { a: 1 } })
    await expect(parts.next()).rejects.toBe(failure)
  })

  test('who leaves early ends the reading of the events', async () => {
    let isLeft = false
    async function* events() {
      try {
        yield* saying(['{"a":1,', '"b":2,', '"c":3}'])
      } finally {
        isLeft = true
      }
    }
    for await (const _ of partialAnswers(events())) break
    expect(isLeft).toBe(true)
  })

  test('a long answer in small pieces costs a bounded number of copies', async () => {
    const text = JSON.stringify({
      items: Array.from({ length: 20_000 }, (_, id) => ({ id, name: `item ${id}` })),
    })
    const pieces = text.match(/.{1,8}/gs) ?? []
    const seen = await all(pieces)
    expect(seen.length).toBeLessThan(500)
    expect(seen.at(-1)).toEqual(JSON.parse(text))
  })
})
