/** The bytes in pieces, cut in front of each position. */
export function cutAt(bytes: Uint8Array, ...positions: readonly number[]): Uint8Array[] {
  const edges = [0, ...positions, bytes.length]
  return edges.slice(1).map((edge, index) => bytes.subarray(edges[index], edge))
}

/** One byte a chunk. */
export function oneByOne(bytes: Uint8Array): Uint8Array[] {
  return Array.from(bytes, (_, index) => bytes.subarray(index, index + 1))
}

/** Where to cut in two: everywhere, or at `sample` places that are the same in every run. */
export function cutPositions(length: number, sample: number): number[] {
  const everywhere = Array.from({ length: length + 1 }, (_, index) => index)
  if (everywhere.length <= sample) return everywhere
  const random = seeded(length)
  const chosen = new Set<number>()
  while (chosen.size < sample) chosen.add(Math.floor(random() * everywhere.length))
  return [...chosen].sort((a, b) => a - b)
}

/** mulberry32: a failing sample must fail again. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
