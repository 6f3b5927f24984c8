/** Something that stands until it is taken back. */
export interface Registration extends Disposable {
  /** Takes it back. Idempotent. */
  dispose(): void
}

/** A registration that `undo` takes back, once. */
export function createRegistration(undo: () => void): Registration {
  let stands = true
  function dispose() {
    if (!stands) return
    stands = false
    undo()
  }
  return { dispose, [Symbol.dispose]: dispose }
}
