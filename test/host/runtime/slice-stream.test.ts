import { describe, expect, test } from 'vitest'
import { type CompletionEvent, ProviderError, sliceStream } from '../../../host/index.ts'

const events: CompletionEvent[] = [
  { type: 'started' },
  { type: 'text', text: 'An ' },
  { type: 'text', text: 'airlock.' },
  { type: 'usage', inputTokens: 3, outputTokens: 4 },
  { type: 'stop', reason: 'end-turn' },
]

async function read(completion: AsyncIterable<CompletionEvent>): Promise<CompletionEvent[]> {
  const seen: CompletionEvent[] = []
  for await (const event of completion) seen.push(event)
  return seen
}

describe('sliceStream', () => {
  test('tells its events, and collects them as any answer', async () => {
    const completion = sliceStream(events)
    expect(await read(completion)).toEqual(events)
    expect(await completion.result()).toMatchObject({
      text: 'An airlock.',
      stopReason: 'end-turn',
      usage: { inputTokens: 3, outputTokens: 4 },
    })
    expect(completion.usage).toEqual({ inputTokens: 3, outputTokens: 4 })
    expect(completion.partial).toEqual(events)
  })

  test('collects without being read', async () => {
    expect((await sliceStream(events).result()).text).toBe('An airlock.')
  })

  test('any number of readers see all of it', async () => {
    const completion = sliceStream(events)
    expect(await Promise.all([read(completion), completion.result(), read(completion)])).toEqual([
      events,
      expect.objectContaining({ text: 'An airlock.' }),
      events,
    ])
  })

  test('cancel stops it where it is, and may be called twice', async () => {
    const completion = sliceStream(events)
    const reader = completion[Symbol.asyncIterator]()
    expect((await reader.next()).value).toEqual(events[0])
    const reason = new Error('enough')
    completion.cancel(reason)
    completion.cancel()
    await expect(reader.next()).rejects.toBe(reason)
    await expect(completion.result()).rejects.toBe(reason)
    expect(completion.partial).toEqual([events[0]])
    expect(completion.usage).toBeUndefined()
  })

  test('leaving the loop cancels; leaving it at the last event does not', async () => {
    const left = sliceStream(events)
    for await (const _ of left) break
    await expect(left.result()).rejects.toMatchObject({ name: 'AbortError' })
    const read = sliceStream(events)
    for await (const { type } of read) if (type === 'stop') break
    expect((await read.result()).text).toBe('An airlock.')
  })

  test('ends with an error behind its events', async () => {
    const error = new ProviderError({ kind: 'overloaded', message: 'Too many' })
    const completion = sliceStream(events.slice(0, 2), error)
    const seen: CompletionEvent[] = []
    const reading = (async () => {
      for await (const event of completion) seen.push(event)
    })()
    await expect(reading).rejects.toBe(error)
    expect(seen).toEqual(events.slice(0, 2))
    await expect(completion.result()).rejects.toBe(error)
  })

  test('nothing at all', async () => {
    expect(await read(sliceStream([]))).toEqual([])
    expect((await sliceStream([]).result()).text).toBe('')
  })
})
