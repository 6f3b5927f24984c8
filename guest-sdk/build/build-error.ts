/** The author's to mend: shown as its message, without a stack. */
export class BuildError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'BuildError'
  }
}
