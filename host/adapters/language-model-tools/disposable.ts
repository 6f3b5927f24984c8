/** Something that is given back. */
export class Disposable {
  #dispose: (() => unknown) | undefined

  constructor(callOnDispose: () => unknown) {
    this.#dispose = callOnDispose
  }

  /** One that gives back all of them. */
  static from(...all: readonly { dispose(): unknown }[]): Disposable {
    return new Disposable(() => {
      for (const one of all) one.dispose()
    })
  }

  /** A second time does nothing: what took its place since stays. */
  dispose(): unknown {
    const dispose = this.#dispose
    this.#dispose = undefined
    return dispose?.()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }
}
