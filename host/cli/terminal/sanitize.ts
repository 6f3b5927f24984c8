/**
 * What may reach a terminal. Text of services, models and extension authors is not trusted: an escape sequence in it
 * can move the cursor, rewrite what stands above, set the clipboard or answer for the user.
 */

// C0 but tab and newline, DEL, C1 (0x9b alone starts a sequence in some terminals).
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g
// Invisible or direction-changing: fine in prose, but in a name or an address they make one thing look like another.
const INVISIBLE =
  /[\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu

/**
 * Running text with every control character made visible (`ESC` becomes `␛`); newlines and tabs stay, carriage
 * returns go. Works on each character alone, so a sequence that is cut in two is caught as well.
 */
export function sanitizeText(text: string): string {
  return text.toWellFormed().replace(CONTROL, visible)
}

/** One line of a name, an address or a message: as `sanitizeText`, with white space folded and invisible characters gone. */
export function sanitizeLabel(text: string): string {
  return sanitizeText(text).replace(/\s+/g, ' ').replace(INVISIBLE, '').trim()
}

/** JSON on one line that is inert on a terminal too: `JSON.stringify` leaves DEL and C1 as they are, this does not. */
export function sanitizeJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function visible(character: string): string {
  const code = character.charCodeAt(0)
  if (code === 0x0d) return ''
  if (code === 0x7f) return '␡'
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : '\ufffd'
}
