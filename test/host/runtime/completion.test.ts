import { describe, expect, test } from 'vitest'
import type { CompletionEvent } from '../../../host/contract/events.ts'
import { createCompletion } from '../../../host/runtime/completion.ts'

const text = (text: string): CompletionEvent => ({ type: 'text', text })
const stop: CompletionEvent = { type: 'stop', reason: 'end-turn' }

function begin() {
  const cancelled: unknown[] = []
  const source = createCompletion({
    answeredBy: () => ({ reference: 'acme/m', providerReference: 'acme' }),
    usage: () => undefined,
    drained: () => {},
    cancelled: reason => cancelled.push(reason),
  })
  return { source, cancelled, reader: source.completion[Symbol.asyncIterator]() }
}

describe('next', () => {
  test('called again before the last one was answered: each has its event, in order', async () => {
    const { source, reader } = begin()
    const early = [reader.next(), reader.next(), reader.next()]
    source.push(text('a'))
    // One that asks now is behind those that wait.
    const late = reader.next()
    for (const event of [text('b'), text('c'), stop]) source.push(event)
    source.end()
    const results = await Promise.all([...early, late, reader.next(), reader.next()])
    expect(results.map(({ value }) => value)).toEqual([
      text('a'),
      text('b'),
      text('c'),
      stop,
      undefined,
      undefined,
    ])
    expect(results.map(({ done }) => done)).toEqual([false, false, false, false, true, true])
  })

  test('called again before a failure: nobody waits for ever', async () => {
    const { source, reader } = begin()
    const waiting = [reader.next(), reader.next(), reader.next()]
    source.push(text('a'))
    source.end(new Error('lost'))
    expect(await Promise.allSettled(waiting)).toMatchObject([
      { value: { value: text('a') } },
      { reason: { message: 'lost' } },
      { reason: { message: 'lost' } },
    ])
  })

  test('after return: done, whatever came besides', async () => {
    const { source, cancelled, reader } = begin()
    source.push(text('a'))
    await reader.return?.()
    expect(cancelled).toHaveLength(1)
    expect(await reader.next()).toEqual({ done: true, value: undefined })
  })

  test('waiting at a return: done, and takes no event of those that read on', async () => {
    const { source, cancelled, reader } = begin()
    const other = source.completion[Symbol.asyncIterator]()
    const waiting = reader.next()
    const reading = other.next()
    await reader.return?.()
    expect(await waiting).toEqual({ done: true, value: undefined })
    source.push(text('a'))
    expect(await reading).toEqual({ done: false, value: text('a') })
    expect(cancelled).toEqual([])
  })
})
