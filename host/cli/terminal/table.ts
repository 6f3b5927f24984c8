import stringWidth from 'fast-string-width'
import { wrapAnsi } from 'fast-wrap-ansi'
import type { Piece } from './output.ts'
import { sanitizeLabel } from './sanitize.ts'

export interface TableOptions {
  /** Columns of the terminal; absent means that nobody counts them, e.g. in a pipe, and nothing is cut. */
  width?: number
}

const GAP = '  '

/**
 * Rows under headings, as lines. Where the columns do not fit the terminal each row becomes a small block instead:
 * its first cell on a line, the others indented below and wrapped.
 */
export function formatTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  { width = Number.POSITIVE_INFINITY }: TableOptions = {},
): Piece[][] {
  const cells = rows.map(row => row.map(sanitizeLabel))
  const widths = headings.map((heading, column) =>
    Math.max(stringWidth(heading), ...cells.map(row => stringWidth(row[column] ?? ''))),
  )
  const total = widths.reduce((sum, columns) => sum + columns, GAP.length * (widths.length - 1))
  if (total > width) return cells.flatMap(row => block(headings, row, width))

  const line = (row: readonly string[]) => row.map((cell, column) => pad(cell, widths[column] ?? 0)).join(GAP)
  return [
    [{ text: line(headings).trimEnd(), style: 'dim' }],
    ...cells.map((row): Piece[] => [line(row).trimEnd()]),
  ]
}

function block(headings: readonly string[], row: readonly string[], width: number): Piece[][] {
  const [first = '', ...others] = row
  const lines: Piece[][] = wrap(first, width).map(text => [{ text, style: 'bold' }])
  others.forEach((cell, index) => {
    if (cell === '') return
    const [start = '', ...more] = wrap(`${headings[index + 1]?.toLowerCase()}: ${cell}`, width - 4)
    lines.push([`  ${start}`], ...more.map((text): Piece[] => [`    ${text}`]))
  })
  return lines
}

/** Lines no wider than `width`, cut inside a word only where the word alone is wider. */
export function wrap(text: string, width: number): string[] {
  // Two columns of a wide character must fit.
  return wrapAnsi(text, Math.max(2, width), { hard: true }).split('\n')
}

/** `text` with spaces up to `width` columns, counting wide characters as two. */
export function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - stringWidth(text)))
}
