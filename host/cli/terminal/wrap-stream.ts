import stringWidth from 'fast-string-width'

export interface WrapStream {
  /** What can be printed now that `text` has come; a word that may go on is held back. */
  push(text: string): string
  /** The rest. */
  end(): string
}

/** Wraps prose that arrives in pieces, each line indented. A word wider than the line stays whole. */
export function createWrapStream(width: number, indent = ''): WrapStream {
  const room = Math.max(1, width - stringWidth(indent))
  let used = 0
  let gap = indent
  let word = ''

  function take(): string {
    if (word === '') return ''
    const columns = stringWidth(word)
    const separator = used > 0 && used + 1 + columns > room ? `\n${indent}` : gap
    used = separator.startsWith('\n') || used === 0 ? columns : used + 1 + columns
    const printed = separator + word
    gap = ' '
    word = ''
    return printed
  }
  return {
    push(text) {
      let printed = ''
      for (const character of text) {
        if (character === '\n') {
          printed += `${take()}`
          gap = gap.startsWith('\n') ? `\n${gap}` : `\n${indent}`
          used = 0
        } else if (/\s/.test(character)) printed += take()
        else word += character
      }
      return printed
    },
    end: take,
  }
}
