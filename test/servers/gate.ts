/** What tests use where others sleep: a body waits at `opened` until the test calls `open`. */
export interface Gate {
  open(): void
  opened: Promise<void>
}

export function createGate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { open: resolve, opened: promise }
}
