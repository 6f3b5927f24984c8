import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import * as z from 'zod'

const FORMAT = 'airlock-credentials'
const VERSION = 1
const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
const CHECK_BYTES = 16

/** scrypt's parameters come from the file: more than this would be a way to use up the machine. */
const MIN_SCRYPT_N = 2 ** 10
const MAX_SCRYPT_N = 2 ** 20
const MAX_SCRYPT_R = 16
const MAX_SCRYPT_P = 4

const base64 = z.string().regex(/^[A-Za-z0-9+/]+={0,2}$/)

const keyId = z.string().regex(/^[0-9a-f]{32}$/)

/** Where the key of the file is. Says which key, and never the key. */
const keyPlace = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('keychain'), id: keyId }),
  z.strictObject({
    kind: z.literal('passphrase'),
    salt: base64,
    n: z
      .int()
      .min(MIN_SCRYPT_N)
      .max(MAX_SCRYPT_N)
      .refine(n => Number.isInteger(Math.log2(n))),
    r: z.int().min(1).max(MAX_SCRYPT_R),
    p: z.int().min(1).max(MAX_SCRYPT_P),
  }),
  z.strictObject({ kind: z.literal('key-file'), id: keyId }),
])

const envelope = z.strictObject({
  format: z.literal(FORMAT),
  version: z.literal(VERSION),
  key: keyPlace,
  /** Tells a wrong key from damaged data. */
  check: base64,
  nonce: base64,
  sealed: base64,
})

const time = z.number().nonnegative()

const contents = z.strictObject({
  credentials: z.array(
    z.strictObject({
      extension: z.string(),
      provider: z.string(),
      value: z.string(),
      since: time,
      option: z.string().exactOptional(),
      expiresAt: time.exactOptional(),
      refreshedAt: time.exactOptional(),
    }),
  ),
})

export type KeyPlace = z.output<typeof keyPlace>
export type Envelope = z.output<typeof envelope>
export type StoredCredential = z.output<typeof contents>['credentials'][number]

export type ReadEnvelope =
  | { type: 'envelope'; envelope: Envelope }
  /** A later version wrote it: it is whole, and not ours to judge. */
  | { type: 'newer' }
  | { type: 'damaged'; reason: string }

/** The outside of the file. Never throws. */
export function readEnvelope(text: string): ReadEnvelope {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { type: 'damaged', reason: text === '' ? 'it is empty' : 'it ends early or is not JSON' }
  }
  const parsed = envelope.safeParse(value)
  if (parsed.success) return { type: 'envelope', envelope: parsed.data }
  const version = z.object({ format: z.literal(FORMAT), version: z.int().gt(VERSION) })
  if (version.safeParse(value).success) return { type: 'newer' }
  const [issue] = parsed.error.issues
  return { type: 'damaged', reason: `its ${issue?.path.join('.') || 'shape'} is not what was written` }
}

export type OpenedEnvelope =
  | { type: 'opened'; credentials: StoredCredential[] }
  | { type: 'wrong-key' }
  | { type: 'damaged'; reason: string }

/** The inside of the file. Never throws. */
export function openEnvelope(read: Envelope, masterKey: Uint8Array): OpenedEnvelope {
  const expected = derive(masterKey, 'check', CHECK_BYTES)
  const check = Buffer.from(read.check, 'base64')
  if (check.length !== CHECK_BYTES || !timingSafeEqual(check, expected)) return { type: 'wrong-key' }
  const damaged: OpenedEnvelope = { type: 'damaged', reason: 'it does not decrypt' }
  const nonce = Buffer.from(read.nonce, 'base64')
  const sealed = Buffer.from(read.sealed, 'base64')
  if (nonce.length !== NONCE_BYTES || sealed.length < TAG_BYTES) return damaged
  try {
    const decipher = createDecipheriv(CIPHER, derive(masterKey, 'encrypt', 32), nonce, {
      authTagLength: TAG_BYTES,
    })
    decipher.setAAD(boundHeader(read.key, read.check))
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
    const text = Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()])
    const parsed = contents.safeParse(JSON.parse(text.toString('utf8')))
    return parsed.success ? { type: 'opened', credentials: parsed.data.credentials } : damaged
  } catch {
    // What was thrown may quote what was decrypted.
    return damaged
  }
}

/** The text of the file. Another nonce each time: with GCM, two texts under one nonce give the key away. */
export function sealCredentials(
  credentials: readonly StoredCredential[],
  place: KeyPlace,
  masterKey: Uint8Array,
): string {
  const nonce = randomBytes(NONCE_BYTES)
  const check = derive(masterKey, 'check', CHECK_BYTES).toString('base64')
  const cipher = createCipheriv(CIPHER, derive(masterKey, 'encrypt', 32), nonce, { authTagLength: TAG_BYTES })
  // Parsed, so that the order of its keys, which is part of what is bound, is the schema's.
  const key = keyPlace.parse(place)
  cipher.setAAD(boundHeader(key, check))
  const sealed = Buffer.concat([
    cipher.update(JSON.stringify(contents.parse({ credentials })), 'utf8'),
    cipher.final(),
    cipher.getAuthTag(),
  ])
  const written: Envelope = {
    format: FORMAT,
    version: VERSION,
    key,
    check,
    nonce: nonce.toString('base64'),
    sealed: sealed.toString('base64'),
  }
  return `${JSON.stringify(written)}\n`
}

/** Nobody can pass the contents off as another version's, or as locked with another key. */
function boundHeader(key: KeyPlace, check: string): Buffer {
  return Buffer.from(JSON.stringify([FORMAT, VERSION, key, check]))
}

/** One key for each use (RFC 5869). */
function derive(masterKey: Uint8Array, use: string, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, '', `${FORMAT} ${VERSION} ${use}`, bytes))
}
