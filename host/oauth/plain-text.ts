// C0, DEL, C1.
const CONTROL = /[\u0000-\u001f\u007f-\u009f]+/g
// Invisible or direction-changing: in a code or an address they make one thing look like another.
const INVISIBLE =
  /[\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu

/**
 * One line of text that a service or an extension sent, fit for a terminal or a page: well-formed, no control
 * characters, none that are invisible, white space folded, at most `maxCharacters` long.
 */
export function plainText(text: string, maxCharacters: number): string {
  // Cut first: the text may be as long as a response may be.
  const plain = text
    .slice(0, maxCharacters * 4)
    .toWellFormed()
    .replace(CONTROL, ' ')
    .replace(INVISIBLE, '')
    .replace(/\s+/g, ' ')
    .trim()
  return plain.length > maxCharacters ? `${plain.slice(0, maxCharacters - 1).toWellFormed()}…` : plain
}
