import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createWrapStream } from '../../../host/cli/terminal/wrap-stream.ts'

function wrapped(pieces: readonly string[], width: number, indent = ''): string {
  const stream = createWrapStream(width, indent)
  return pieces.map(piece => stream.push(piece)).join('') + stream.end()
}

describe('createWrapStream', () => {
  it.each([
    [['one two three'], 8, '', 'one two\nthree'],
    [['one t', 'wo thr', 'ee'], 8, '', 'one two\nthree'],
    [['one two three'], 8, '  ', '  one\n  two\n  three'],
    [['a\nb\n\nc'], 8, '', 'a\nb\n\nc'],
    [['much-too-long to fit'], 8, '', 'much-too-long\nto fit'],
    [['你好 世界 再见'], 9, '', '你好 世界\n再见'],
    [[''], 8, '  ', ''],
  ])('%j in %d columns', (pieces, width, indent, lines) => {
    expect(wrapped(pieces, width, indent)).toBe(lines)
  })

  it('breaks at the same places wherever the text is cut, and loses no word', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1 }), fc.nat(), (words, at) => {
        const text = words.join(' ')
        const cut = at % (text.length + 1)
        const whole = wrapped([text], 20)
        expect(wrapped([text.slice(0, cut), text.slice(cut)], 20)).toBe(whole)
        expect(whole.split(/\s+/)).toEqual(words)
        for (const line of whole.split('\n')) expect(line.length).toBeLessThanOrEqual(20)
      }),
    )
  })
})
