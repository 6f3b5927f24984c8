import { describe, expect, test } from 'vitest'
import { placeCacheAnchors } from '../../../host/runtime/prompt-cache.ts'

const cache = { maxCacheAnchors: 4, shouldCacheToolDefinitions: true, minTotalTokenCount: 10 }
const long = 'word '.repeat(40)
const system = { role: 'system' as const, content: long }
const user = { role: 'user' as const, content: long }
const assistant = { role: 'assistant' as const, content: 'yes' }

function anchors(...args: Parameters<typeof placeCacheAnchors>): number[] {
  return placeCacheAnchors(...args).flatMap((message, index) => (message.cache ? [index] : []))
}

describe('placeCacheAnchors', () => {
  test('marks the instructions and the last two turns of the user', () => {
    expect(anchors([system, user, assistant, user, assistant, user], cache)).toEqual([0, 3, 5])
  })

  test('a turn of several messages counts as one: its last has the anchor', () => {
    expect(anchors([user, user, assistant, user, user], cache)).toEqual([1, 4])
  })

  test('the newest turn matters most where the service allows few', () => {
    const messages = [system, user, assistant, user]
    expect(anchors(messages, { ...cache, maxCacheAnchors: 1 })).toEqual([3])
    expect(anchors(messages, { ...cache, maxCacheAnchors: 2 })).toEqual([0, 3])
    expect(anchors(messages, { ...cache, maxCacheAnchors: 0 })).toEqual([])
  })

  test('what is too short to be cached has no anchor', () => {
    const short = { ...system, content: 'Be brief.' }
    expect(anchors([short, user], cache)).toEqual([1])
    expect(anchors([short, { ...user, content: 'Hi' }], cache)).toEqual([])
  })

  test('anchors of the caller stay alone, those that say no as well', () => {
    expect(anchors([system, { ...user, cache: true }, assistant, user], cache)).toEqual([1])
    expect(anchors([system, user, assistant, { ...user, cache: false }], cache)).toEqual([])
  })

  test('media count by what is sent of them, and the caller’s messages are not changed', () => {
    const image = { type: 'image' as const, source: 'A'.repeat(100), mediaType: 'image/png' }
    const messages = [{ role: 'user' as const, content: [image] }]
    expect(anchors(messages, cache)).toEqual([0])
    expect(messages[0]).not.toHaveProperty('cache')
  })
})
