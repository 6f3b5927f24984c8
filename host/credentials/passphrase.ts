import { randomBytes, type ScryptOptions, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import type { KeyPlace } from './sealed-file.ts'

type PassphrasePlace = Extract<KeyPlace, { kind: 'passphrase' }>

const deriveKey = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

/** New parameters, with a salt of their own: 128 MiB and about a third of a second for each guess. */
export function newPassphrasePlace(): PassphrasePlace {
  return { kind: 'passphrase', salt: randomBytes(16).toString('base64'), n: 2 ** 17, r: 8, p: 1 }
}

/** The master key that a passphrase stands for (scrypt, RFC 7914). */
export function keyFromPassphrase(passphrase: string, { salt, n, r, p }: PassphrasePlace): Promise<Buffer> {
  // One passphrase typed on two systems may differ in how its accents are composed.
  const text = passphrase.normalize('NFKC')
  const maxmem = 256 * n * r * p
  return deriveKey(text, Buffer.from(salt, 'base64'), 32, { N: n, r, p, maxmem })
}
