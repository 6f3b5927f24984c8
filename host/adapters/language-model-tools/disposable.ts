/** Something that is given back. */
export class Disposable {
  readonly #dispose: () => unknown

  constructor(callOnDispose: () => unknown) {
    this.#dispose = callOnDispose
  }

  /** One that gives back all of them. */
  static from(...all: readonly { dispose(): unknown }[]): Disposable {
    return new Disposable(() => {
      for (const one of all) one.dispose()
    })
  }

  dispose(): unknown {
    return this.#dispose()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }
}
