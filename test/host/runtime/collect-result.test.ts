import { describe, expect, test } from 'vitest'
import { collectResult } from '../../../host/runtime/collect-result.ts'

describe('collectResult', () => {
  test('joins text and keeps the order of what stands between', () => {
    const result = collectResult([
      { type: 'started' },
      { type: 'response-metadata', id: 'r1', model: 'm-2' },
      { type: 'thinking', text: 'hm' },
      { type: 'thinking', text: 'm', signature: 'sig' },
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
      { type: 'tool-input-delta', id: 'c1', name: 'look', delta: '{}' },
      { type: 'tool-use', id: 'c1', name: 'look', input: '{}', thoughtSignature: 't' },
      { type: 'citation', url: 'https://a.example' },
      { type: 'text', text: 'c' },
      { type: 'usage', inputTokens: 1, outputTokens: 2 },
      { type: 'stop', reason: 'tool-use' },
    ])
    expect(result).toEqual({
      text: 'abc',
      parts: [
        { type: 'thinking', text: 'hmm', signature: 'sig' },
        { type: 'text', text: 'ab' },
        { type: 'tool-use', id: 'c1', name: 'look', input: '{}', thoughtSignature: 't' },
        { type: 'text', text: 'c' },
      ],
      toolUses: [{ id: 'c1', name: 'look', input: '{}', thoughtSignature: 't' }],
      brokenToolUses: [],
      usage: { inputTokens: 1, outputTokens: 2 },
      stopReason: 'tool-use',
      id: 'r1',
      model: 'm-2',
      citations: [{ url: 'https://a.example' }],
    })
  })

  test('keeps thinking blocks apart once signed, also those without text', () => {
    const { parts } = collectResult([
      { type: 'thinking', text: 'one' },
      { type: 'thinking', text: '', signature: 'a' },
      { type: 'thinking', text: '', signature: 'b' },
      { type: 'thinking', text: 'two' },
      { type: 'redacted-thinking', data: 'opaque' },
      { type: 'thinking', text: 'three', signature: 'c' },
      { type: 'stop', reason: 'end-turn' },
    ])
    expect(parts).toEqual([
      { type: 'thinking', text: 'one', signature: 'a' },
      { type: 'thinking', text: '', signature: 'b' },
      { type: 'thinking', text: 'two' },
      { type: 'redacted-thinking', data: 'opaque' },
      { type: 'thinking', text: 'three', signature: 'c' },
    ])
  })

  test('keeps a broken call in the history with arguments that a service takes, and out of what may be run', () => {
    const broken = { id: 'c1', name: 'look', rawInput: '{"x', error: 'bad' }
    const result = collectResult([
      { type: 'tool-use-json-parse-error', ...broken },
      { type: 'stop', reason: 'tool-use' },
    ])
    expect(result.toolUses).toEqual([])
    expect(result.brokenToolUses).toEqual([broken])
    expect(result.parts).toEqual([{ type: 'tool-use', id: 'c1', name: 'look', input: '{}' }])
  })
})
