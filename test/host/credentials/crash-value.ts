import { createHash } from 'node:crypto'

/** A credential that shows whether it is whole. Of very different lengths, so that a mixture of two is none. */
export function wholeValue(index: number): string {
  const seal = createHash('sha256').update(`value ${index}`).digest('hex')
  return `${index}:${seal.repeat(1 + ((index * 7) % 50))}`
}

/** @throws where `value` is not, to the last character, one that `wholeValue` makes. */
export function indexOfValue(value: string): number {
  const index = Number.parseInt(value, 10)
  if (value !== wholeValue(index))
    throw new Error(`Not a whole value: ${value.slice(0, 20)}... (${value.length})`)
  return index
}
