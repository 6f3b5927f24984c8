const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz012345'

/** An id for a tool call that the service gave none: the prefix, then nine letters and digits. */
export function randomId(prefix: string): string {
  let id = prefix
  for (const byte of crypto.getRandomValues(new Uint8Array(9))) id += ALPHABET[byte % ALPHABET.length]
  return id
}
