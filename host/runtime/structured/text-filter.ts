/** Takes text as it comes and gives what is left of it. */
export interface TextFilter {
  push(text: string): string
  /** What was held back. */
  end(): string
}
