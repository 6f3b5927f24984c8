import { join } from 'node:path'
import { InvalidOptionError } from '../errors.ts'
import type { Home } from '../home/home.ts'
import { createFileStore, type FileStore } from './file-store.ts'
import { createKeyFiles } from './key-file.ts'
import { type KeychainOptions, openKeychain } from './keychain.ts'
import { createMasterKeys } from './master-key.ts'

export interface DefaultStoreOptions extends Pick<KeychainOptions, 'readMs' | 'writeMs'> {
  home: Home
  /**
   * `AIRLOCK_PASSPHRASE` locks the file where no keychain does. `AIRLOCK_KEYCHAIN=off` leaves the keychain alone.
   * The rest tells the keychain's client where it is.
   */
  env: NodeJS.ProcessEnv
  /** Told what a user should know, in whole sentences without secrets. Default: dropped. */
  notice?: (sentence: string) => void
}

/**
 * The store of someone who chose none: one encrypted file in the home's data folder, its key in the system's
 * keychain, else made of a passphrase, else in a file. Touches nothing until a credential is asked for or stored,
 * and the keychain not before there is one.
 * @throws {InvalidOptionError} where `AIRLOCK_KEYCHAIN` is neither `on` nor `off`.
 */
export function createDefaultStore(options: DefaultStoreOptions): FileStore {
  const { home, env, notice = () => {}, readMs, writeMs } = options
  const folder = join(home.data, 'credentials')
  // An empty variable is how a shell unsets one for a single command.
  const passphrase = env.AIRLOCK_PASSPHRASE || undefined
  const choice = env.AIRLOCK_KEYCHAIN || 'on'
  if (choice !== 'on' && choice !== 'off')
    throw new InvalidOptionError(
      `Cannot read AIRLOCK_KEYCHAIN: it must be "on" or "off": current value is ${JSON.stringify(choice)}`,
    )
  const keychain =
    choice === 'on' &&
    openKeychain({
      env,
      notice,
      ...(readMs !== undefined && { readMs }),
      ...(writeMs !== undefined && { writeMs }),
    })
  return createFileStore({
    file: join(folder, 'credentials'),
    keys: createMasterKeys({
      ...(keychain && { keychain }),
      ...(passphrase !== undefined && { passphrase }),
      keyFiles: createKeyFiles(folder),
      notice,
    }),
  })
}
