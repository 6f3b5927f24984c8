import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createTextTemplate } from '../../../../guest-sdk/dialects/openai-chat/text-template.ts'

const chunk = (content: string, more = {}) =>
  JSON.stringify({ id: 'c1', choices: [{ index: 0, delta: { content }, finish_reason: null }], ...more })

function learned(data: string, content: string) {
  const template = createTextTemplate()
  template.learn(data, content)
  return template
}

describe('createTextTemplate', () => {
  test('reads the words of a chunk that differs in nothing else', () => {
    const template = learned(chunk('Hello'), 'Hello')
    expect(template.read(chunk(' world'))).toBe(' world')
    expect(template.read(chunk('好 😀'))).toBe('好 😀')
    expect(template.read(chunk(''))).toBe('')
  })

  test.each([
    ['another field', chunk('a', { usage: {} })],
    ['another id', chunk('a').replace('c1', 'c2')],
    ['a finish reason', chunk('a').replace('null', '"stop"')],
    ['words that JSON writes in another way', chunk('a "quoted" \n line')],
    ['an escaped letter', chunk('a').replace('"a"', '"\\u0061"')],
    ['content that is null', chunk('a').replace('"a"', 'null')],
    ['a field beside the content', chunk('a').replace('"a"', '"a","tool_calls":"b"')],
    ['half a chunk', chunk('a').slice(0, 20)],
    ['no JSON', '[DONE]'],
  ])('leaves to the parser: %s', (_, data) => {
    expect(learned(chunk('Hello'), 'Hello').read(data)).toBeUndefined()
  })

  test.each([
    ['the key stands there twice', chunk('a', { more: { content: 'a' } }), 'a'],
    ['the words stand elsewhere', JSON.stringify({ content: 'b', delta: 'a' }), 'a'],
    ['the words are escaped', chunk('a "b"'), 'a "b"'],
    ['the key is written with a space', '{"content": "a"}', 'a'],
  ])('learns nothing where %s', (_, data, content) => {
    expect(learned(data, content).read(data)).toBeUndefined()
  })

  test('gives up a service that puts something new into each chunk', () => {
    const template = createTextTemplate()
    for (let count = 0; count < 16; count++) template.learn(chunk('a', { pad: count }), 'a')
    template.learn(chunk('a'), 'a')
    expect(template.read(chunk('b'))).toBeUndefined()
  })

  test('reads what a parser reads, or nothing', () => {
    const words = fc.string({
      unit: fc.constantFrom('a', '"', '\\', '\n', '好', '{', ',', ':', '\u0001', 'content'),
    })
    fc.assert(
      fc.property(words, words, fc.boolean(), (first, second, asAscii) => {
        const asWritten = (text: string) =>
          asAscii
            ? text.replace(/[^ -~]/g, one => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
            : text
        const read = learned(asWritten(chunk(first)), first).read(asWritten(chunk(second)))
        if (read !== undefined)
          expect(read).toBe(JSON.parse(asWritten(chunk(second))).choices[0].delta.content)
      }),
    )
  })
})
