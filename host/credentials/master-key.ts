import { randomBytes } from 'node:crypto'
import { CredentialError } from './credential-error.ts'
import type { KeyFiles } from './key-file.ts'
import type { Keychain } from './keychain.ts'
import { keyFromPassphrase, newPassphrasePlace } from './passphrase.ts'
import type { KeyPlace } from './sealed-file.ts'

export interface MasterKey {
  place: KeyPlace
  key: Buffer
}

/** Where the key that locks the credentials comes from. */
export interface MasterKeys {
  /**
   * The key of a file that was locked before. Always from the place that the file names: another kind of key that
   * happens to be at hand cannot open it.
   * @throws {CredentialError} `keychain-unreachable` or `passphrase-needed`, where it may work later; `key-lost`.
   */
  unlock(place: KeyPlace): Promise<Buffer>
  /** A key for a file that is about to be made: keychain, else passphrase, else a key file. Under the store's lock. */
  create(): Promise<MasterKey>
  /** A better key than this one, where the user has given one since. Under the store's lock. */
  improve(place: KeyPlace): Promise<MasterKey | undefined>
  /** Nothing is locked with that key any more. */
  retire(place: KeyPlace): Promise<void>
}

export interface MasterKeysOptions {
  /** Absent: the keychain is not asked. */
  keychain?: Keychain
  passphrase?: string
  keyFiles: KeyFiles
  /** Told once, where a key is made, what protects it. */
  notice: (sentence: string) => void
}

export function createMasterKeys({ keychain, passphrase, keyFiles, notice }: MasterKeysOptions): MasterKeys {
  // scrypt and the keychain are slow, and every read needs the key.
  const known = new Map<string, Promise<Buffer>>()

  function remember(place: KeyPlace, key: Promise<Buffer>): Promise<Buffer> {
    const name = JSON.stringify(place)
    known.set(name, key)
    // The keychain may be unlocked by the next time.
    key.catch(() => known.delete(name))
    return key
  }

  async function fetchKey(place: KeyPlace): Promise<Buffer> {
    switch (place.kind) {
      case 'keychain':
        return readKeychain(keychain, place.id)
      case 'passphrase':
        if (passphrase === undefined)
          throw new CredentialError(
            'passphrase-needed',
            'Cannot open the stored credentials: they are locked with a passphrase. Set AIRLOCK_PASSPHRASE to it.',
          )
        return keyFromPassphrase(passphrase, place)
      case 'key-file': {
        const key = await keyFiles.read(place.id)
        if (key) return key
        throw new CredentialError(
          'key-lost',
          `the key that locks them is gone: ${keyFiles.pathOf(place.id)} does not hold it`,
        )
      }
      default:
        return place satisfies never
    }
  }

  async function fromPassphrase(given: string): Promise<MasterKey> {
    const place = newPassphrasePlace()
    return { place, key: await remember(place, keyFromPassphrase(given, place)) }
  }

  return {
    unlock: place => known.get(JSON.stringify(place)) ?? remember(place, fetchKey(place)),
    async create() {
      const kept = keychain ? await createInKeychain(keychain) : { refused: 'AIRLOCK_KEYCHAIN is off' }
      if ('key' in kept) {
        await remember(kept.place, Promise.resolve(kept.key))
        return kept
      }
      if (passphrase !== undefined) return fromPassphrase(passphrase)
      const place: KeyPlace = { kind: 'key-file', id: newId() }
      const key = await keyFiles.create(place.id)
      await remember(place, Promise.resolve(key))
      notice(
        `This system's keychain could not be used (${kept.refused}), so the key to your encrypted credentials lies beside them in ${keyFiles.pathOf(place.id)}: whoever can read your files can read them. Set AIRLOCK_PASSPHRASE to lock them with a passphrase.`,
      )
      return { place, key }
    },
    async improve(place) {
      if (place.kind !== 'key-file' || passphrase === undefined) return undefined
      const better = await fromPassphrase(passphrase)
      notice('Your credentials are now locked with AIRLOCK_PASSPHRASE, which every later run needs.')
      return better
    },
    async retire(place) {
      known.delete(JSON.stringify(place))
      if (place.kind === 'key-file') await keyFiles.remove(place.id)
    },
  }
}

async function readKeychain(keychain: Keychain | undefined, id: string): Promise<Buffer> {
  const answer = await keychain?.read(accountOf(id))
  if (answer?.type !== 'answered') {
    const reason = answer?.reason ?? 'AIRLOCK_KEYCHAIN is off'
    throw new CredentialError(
      'keychain-unreachable',
      `Cannot open the stored credentials: their key is in this system's keychain, which does not answer (${reason}). Unlock it and try again.`,
    )
  }
  const key = answer.secret === undefined ? undefined : decodeKey(answer.secret)
  if (key) return key
  throw new CredentialError('key-lost', "the key that locks them is gone from this system's keychain")
}

/** Each store file has an entry of its own: no other store, and no race between two, can replace its key. */
async function createInKeychain(keychain: Keychain): Promise<MasterKey | { refused: string }> {
  const id = newId()
  const key = randomBytes(32)
  const answer = await keychain.write(accountOf(id), key.toString('base64'))
  if (answer.type === 'failed') return { refused: answer.reason }
  if (answer.secret === undefined || !decodeKey(answer.secret)?.equals(key))
    return { refused: 'it did not keep what it was given' }
  return { place: { kind: 'keychain', id }, key }
}

/** A key is never replaced: what was locked with it and moved aside can still be opened. */
function newId(): string {
  return randomBytes(16).toString('hex')
}

function accountOf(id: string): string {
  return `credentials-key-${id}`
}

function decodeKey(text: string): Buffer | undefined {
  const key = Buffer.from(text, 'base64')
  return key.length === 32 ? key : undefined
}
