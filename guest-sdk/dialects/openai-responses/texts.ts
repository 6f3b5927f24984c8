/** The texts of an item's parts, which come in pieces and then whole: how much of each has been told. */
export interface Texts {
  /** What is new in `text`, a piece of the part or (`isWhole`) all of it. */
  take(part: unknown, text: string, isWhole: boolean): string
  /** Of all that was told, in UTF-16 units. */
  readonly length: number
}

/** @param separator Stands between one part and the next. */
export function createTexts(separator: string): Texts {
  const told = new Map<unknown, string>()
  let length = 0
  let last: unknown

  function tell(part: unknown, text: string): string {
    const isNext = length > 0 && separator !== '' && part !== last
    const words = isNext ? separator + text : text
    told.set(part, (told.get(part) ?? '') + text)
    last = part
    length += words.length
    return words
  }

  return {
    take(part, text, isWhole) {
      const before = told.get(part) ?? ''
      if (!isWhole) return tell(part, text)
      // What differs from the pieces cannot be taken back.
      return text.length > before.length && text.startsWith(before)
        ? tell(part, text.slice(before.length))
        : ''
    },
    get length() {
      return length
    },
  }
}
