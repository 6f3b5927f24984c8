/** What a value may hold so that handing it over does not stall the thread that takes it. */
export interface Weight {
  /** Fields and elements of records and lists, at every depth. */
  parts: number
  /** UTF-16 units of all strings and bytes of all lists of bytes. */
  units: number
}

/** Whether a value that came out of a guest holds more than this. Stops counting once it does. */
export function isHeavierThan(most: Weight, value: unknown): boolean {
  let { parts, units } = most

  function weigh(part: unknown): boolean {
    if (typeof part === 'string') units -= part.length
    else if (part instanceof Uint8Array) units -= part.byteLength
    else if (typeof part === 'object' && part !== null) {
      if (Array.isArray(part)) {
        parts -= part.length
        if (parts < 0) return true
        return part.some(weigh)
      }
      for (const key in part) {
        parts--
        if (parts < 0 || weigh((part as Record<string, unknown>)[key])) return true
      }
    }
    return units < 0
  }

  return weigh(value)
}
