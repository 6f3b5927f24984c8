import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sanitizeJson, sanitizeLabel, sanitizeText } from '../../../host/cli/terminal/sanitize.ts'

describe('sanitizeText', () => {
  it.each([
    ['plain text\nand a\ttab', 'plain text\nand a\ttab'],
    ['\x1b[31mred\x1b[0m', '␛[31mred␛[0m'],
    ['\x1b]52;c;ZXZpbA==\x07', '␛]52;c;ZXZpbA==␇'],
    ['a\r\nb\rc', 'a\nbc'],
    ['\x9b2J\x7f', '\ufffd2J␡'],
    ['back\b\b\bspace', 'back␈␈␈space'],
    ['half \ud83d of a pair', 'half \ufffd of a pair'],
    ['שלום 你好 👩‍🚀', 'שלום 你好 👩‍🚀'],
  ])('shows %j as %j', (text, shown) => {
    expect(sanitizeText(text)).toBe(shown)
  })

  it('lets no control character through, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        expect(sanitizeText(text)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/)
        expect(sanitizeText(text).isWellFormed()).toBe(true)
      }),
    )
  })
})

describe('sanitizeLabel', () => {
  it.each([
    ['two\nlines  of\tit', 'two lines of it'],
    ['https://good.example\u202e/elpmaxe.live', 'https://good.example/elpmaxe.live'],
    ['open\u200bai', 'openai'],
    ['  x\r\n', 'x'],
  ])('shows %j as %j', (text, shown) => {
    expect(sanitizeLabel(text)).toBe(shown)
  })
})

describe('sanitizeJson', () => {
  it('is JSON of the same value without a control character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        const json = sanitizeJson({ text })
        expect(json).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/)
        expect(JSON.parse(json)).toEqual({ text })
      }),
    )
  })
})
