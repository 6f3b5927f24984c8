import stringWidth from 'fast-string-width'
import { describe, expect, it } from 'vitest'
import type { Piece } from '../../../host/cli/terminal/output.ts'
import { formatTable, wrap } from '../../../host/cli/terminal/table.ts'

const plain = (lines: Piece[][]): string[] =>
  lines.map(line => line.map(piece => (typeof piece === 'string' ? piece : piece.text)).join(''))

const rows = [
  ['acme/one', 'One', '8k', 'tools'],
  ['acme/模型', 'A model with a long name', '128k', 'tools, images'],
]
const headings = ['MODEL', 'NAME', 'CONTEXT', 'CAPABILITIES']

describe('formatTable', () => {
  it('lines columns up, counting wide characters as two', () => {
    expect(plain(formatTable(headings, rows, { width: 80 }))).toEqual([
      'MODEL      NAME                      CONTEXT  CAPABILITIES',
      'acme/one   One                       8k       tools',
      'acme/模型  A model with a long name  128k     tools, images',
    ])
  })

  it('makes blocks where the columns do not fit', () => {
    expect(plain(formatTable(headings, rows, { width: 30 }))).toEqual([
      'acme/one',
      '  name: One',
      '  context: 8k',
      '  capabilities: tools',
      'acme/模型',
      '  name: A model with a long',
      '    name',
      '  context: 128k',
      '  capabilities: tools,',
      '    images',
    ])
  })

  it.each([20, 40, 80])('never exceeds %d columns', width => {
    const long = [['x'.repeat(100), '宽'.repeat(60), '', 'y '.repeat(50)]]
    for (const line of plain(formatTable(headings, long, { width })))
      expect(stringWidth(line)).toBeLessThanOrEqual(width)
  })

  it('cuts nothing where nobody counts columns', () => {
    const [, line] = plain(formatTable(headings, [['x'.repeat(300), '', '', 'end']]))
    expect(line).toMatch(/^x{300} .* end$/)
  })

  it('keeps a hostile cell on its line', () => {
    expect(plain(formatTable(['A', 'B'], [['x\n\x1b[2Jy', 'z']]))).toEqual(['A        B', 'x ␛[2Jy  z'])
  })
})

describe('wrap', () => {
  it('breaks at spaces, and inside a word only where it is too long', () => {
    expect(wrap('one two abcdefghijkl', 8)).toEqual(['one two', 'abcdefgh', 'ijkl'])
  })
})
