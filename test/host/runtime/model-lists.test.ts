import { describe, expect, test } from 'vitest'
import type { ModelInfo } from '../../../host/contract/models.ts'
import { createModelLists } from '../../../host/runtime/model-lists.ts'

const HOUR_MS = 3_600_000

function model(id: string, maxTokenCount = 1_000): ModelInfo {
  return { reference: `p/${id}`, id, name: id, maxTokenCount } as ModelInfo
}

/** Lists of a provider that answers when the test says so. */
function setUp() {
  const asked: { resolve(models: ModelInfo[]): void; reject(error: unknown): void; signal: AbortSignal }[] =
    []
  const changes: string[] = []
  const life = new AbortController()
  const lists = createModelLists({
    ask: (_provider, signal) =>
      new Promise((resolve, reject) => {
        asked.push({ resolve, reject, signal })
        signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      }),
    changed: provider => changes.push(provider),
    signal: life.signal,
  })
  return { lists, asked, changes, life }
}

describe('createModelLists', () => {
  test('all who ask at once wait for one listing, and one who leaves ends it for nobody', async () => {
    const { lists, asked } = setUp()
    const leaving = new AbortController()
    const left = lists.list('p', { maxAgeMs: 0, signal: leaving.signal })
    const stayed = [lists.list('p', { maxAgeMs: 0 }), lists.list('p', { maxAgeMs: HOUR_MS })]
    leaving.abort(new Error('left'))
    await expect(left).rejects.toThrow('left')
    expect(asked).toHaveLength(1)
    expect(asked[0]?.signal.aborted).toBe(false)
    asked[0]?.resolve([model('a')])
    expect(await Promise.all(stayed)).toEqual([[model('a')], [model('a')]])
  })

  test('a list is asked for anew where it is too old, and where it was forgotten', async () => {
    const { lists, asked } = setUp()
    const first = lists.list('p', { maxAgeMs: HOUR_MS })
    asked[0]?.resolve([model('a')])
    await first
    expect(await lists.list('p', { maxAgeMs: HOUR_MS })).toEqual([model('a')])
    expect(asked).toHaveLength(1)
    const fresh = lists.list('p', { maxAgeMs: 0 })
    expect(asked).toHaveLength(2)
    asked[1]?.resolve([model('a')])
    await fresh
    lists.forget('p')
    expect(lists.known('p')).toBeUndefined()
    void lists.list('p', { maxAgeMs: HOUR_MS })
    expect(asked).toHaveLength(3)
    asked[2]?.resolve([])
  })

  test('what was asked before it was forgotten is not what counts afterwards', async () => {
    const { lists, asked } = setUp()
    const before = lists.list('p', { maxAgeMs: HOUR_MS })
    lists.forget('p')
    const after = lists.list('p', { maxAgeMs: HOUR_MS })
    asked[1]?.resolve([model('new')])
    asked[0]?.resolve([model('old')])
    expect(await before).toEqual([model('old')])
    expect(await after).toEqual([model('new')])
    expect(lists.known('p')).toEqual([model('new')])
  })

  test('a failure is no list: what was known stays, and whoever wants a fresh list asks again', async () => {
    const { lists, asked } = setUp()
    const first = lists.list('p', { maxAgeMs: 0 })
    asked[0]?.resolve([model('a')])
    await first
    const second = lists.list('p', { maxAgeMs: 0 })
    asked[1]?.reject(new Error('down'))
    await expect(second).rejects.toThrow('down')
    expect(lists.known('p')).toEqual([model('a')])
    const third = lists.list('p', { maxAgeMs: 0 })
    asked[2]?.resolve([model('b')])
    expect(await third).toEqual([model('b')])
  })

  test('a provider that could not say is not asked for every completion', async () => {
    const { lists, asked } = setUp()
    const first = lists.list('p', { maxAgeMs: HOUR_MS })
    asked[0]?.reject(new Error('down'))
    await expect(first).rejects.toThrow('down')
    await expect(lists.list('p', { maxAgeMs: HOUR_MS })).rejects.toThrow('down')
    expect(asked).toHaveLength(1)
  })

  test.each([
    ['the same', [model('a')], []],
    ['another model', [model('b')], ['p']],
    ['one more', [model('a'), model('b')], ['p']],
    ['another fact', [model('a', 2_000)], ['p']],
  ])('tells of a change where the next list has %s', async (_, next, told) => {
    const { lists, asked, changes } = setUp()
    const first = lists.list('p', { maxAgeMs: 0 })
    asked[0]?.resolve([model('a')])
    await first
    expect(changes).toEqual([])
    const second = lists.list('p', { maxAgeMs: 0 })
    asked[1]?.resolve(next)
    await second
    expect(changes).toEqual(told)
  })

  test('the end of the airlock ends what is asked; one signal keeps no listener', async () => {
    const { lists, asked, life } = setUp()
    const waiting = lists.list('p', { maxAgeMs: 0 })
    life.abort(new Error('closed'))
    await expect(waiting).rejects.toThrow('closed')
    expect(asked[0]?.signal.aborted).toBe(true)
    await expect(
      lists.list('p', { maxAgeMs: 0, signal: AbortSignal.abort(new Error('gone')) }),
    ).rejects.toThrow('gone')
    expect(asked).toHaveLength(1)
  })
})
