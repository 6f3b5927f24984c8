import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDefaultStore, type DefaultStoreOptions } from '../../../host/credentials/default-store.ts'
import type { FileStore } from '../../../host/credentials/file-store.ts'
import { type Home, resolveHome } from '../../../host/home/home.ts'

export interface TemporaryHome extends AsyncDisposable {
  home: Home
  /** Where the store's files are. */
  folder: string
  file: string
  /** What users were told. */
  notices: string[]
  /** A store as another process would open it. Default: one that leaves this machine's keychain alone. */
  open(env?: NodeJS.ProcessEnv, options?: Partial<DefaultStoreOptions>): FileStore
}

export async function temporaryHome(): Promise<TemporaryHome> {
  const at = await mkdtempDisposable(join(tmpdir(), 'airlock-credentials-'))
  const home = resolveHome({ home: at.path, env: {} })
  const folder = join(home.data, 'credentials')
  const notices: string[] = []
  return {
    home,
    folder,
    file: join(folder, 'credentials'),
    notices,
    open: (env = { AIRLOCK_KEYCHAIN: 'off' }, options = {}) =>
      createDefaultStore({ home, env, notice: sentence => notices.push(sentence), ...options }),
    [Symbol.asyncDispose]: () => at.remove(),
  }
}
