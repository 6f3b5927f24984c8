import type { ChatQuirks } from './quirks.ts'

/** The longest id that OpenAI takes. */
const MAX_LENGTH = 40
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/**
 * An id as the service accepts it: ids in a history may come from another service. The same id gives the same
 * one every time, so calls and results stay together over a whole conversation.
 */
export function fitToolCallId(id: string, rule: ChatQuirks['toolCallIds']): string {
  if (rule === 'alphanumeric-9') return /^[a-zA-Z0-9]{9}$/.test(id) ? id : shortHash(id)
  return id.length > MAX_LENGTH || id.trim() === '' ? `call_${shortHash(id)}` : id
}

/** Nine letters and digits, 53 bits of them. */
function shortHash(text: string): string {
  // Two FNV-1a runs with different starts.
  let high = 0x811c9dc5
  let low = 0x01000193
  for (let i = 0; i < text.length; i++) {
    high = Math.imul(high ^ text.charCodeAt(i), 0x01000193) >>> 0
    low = Math.imul(low ^ text.charCodeAt(i) ^ (i & 0xff), 0x01000193) >>> 0
  }
  let rest = (high & 0x1fffff) * 2 ** 32 + low
  let hash = ''
  for (let i = 0; i < 9; i++) {
    hash += ALPHABET[rest % ALPHABET.length]
    rest = Math.floor(rest / ALPHABET.length)
  }
  return hash
}
