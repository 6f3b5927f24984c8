import { fork } from 'node:child_process'
import { join } from 'node:path'
import type { KeychainAnswer, KeychainRequest } from './keychain-protocol.ts'

/** A tenth of a second does, more on a busy machine; but a hanging bus should not hold up a sign-in for long. */
const WRITE_MS = 10_000
/** The user may have to unlock it first, and there is no other way to the key. */
const READ_MS = 30_000
/** When the user is told that the keychain is being waited for. */
const TELL_AFTER_MS = 2_000

/** What a keychain needs of the environment. A variable that holds somebody's API key is none of its business. */
const PASSED_ON =
  /^(PATH|HOME|USER|LOGNAME|LANG|LC_\w+|TMPDIR|DBUS_\w+|XDG_\w+|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|LD_LIBRARY_PATH|SystemRoot|windir|USERPROFILE|APPDATA|LOCALAPPDATA|TEMP|TMP)$/i

/** The operating system's keychain: Keychain, Credential Manager, or a Secret Service. */
export interface Keychain {
  /** `answered` without a secret means that the keychain works and holds none of that name. */
  read(account: string): Promise<KeychainAnswer>
  /** `answered` with what it holds then. */
  write(account: string, secret: string): Promise<KeychainAnswer>
  delete(account: string): Promise<KeychainAnswer>
}

export interface KeychainOptions {
  env: NodeJS.ProcessEnv
  /** Longest wait for reading, ms. Default: 30 s. */
  readMs?: number
  /** Longest wait for writing and deleting, ms. Default: 10 s. */
  writeMs?: number
  /** Told when reading takes longer than two seconds. */
  notice?: (sentence: string) => void
}

/** Never throws: a keychain that cannot be asked has `failed`, within the time given. */
export function openKeychain(options: KeychainOptions): Keychain {
  const { env, readMs = READ_MS, writeMs = WRITE_MS, notice = () => {} } = options
  const passed = Object.fromEntries(Object.entries(env).filter(([name]) => PASSED_ON.test(name)))
  return {
    async read(account) {
      const tell = setTimeout(
        () => notice('Waiting for the keychain of this system: it may be asking you to unlock it.'),
        TELL_AFTER_MS,
      )
      try {
        return await ask({ action: 'read', account }, passed, readMs)
      } finally {
        clearTimeout(tell)
      }
    },
    write: (account, secret) => ask({ action: 'write', account, secret }, passed, writeMs),
    delete: account => ask({ action: 'delete', account }, passed, writeMs),
  }
}

function ask(request: KeychainRequest, env: NodeJS.ProcessEnv, limitMs: number): Promise<KeychainAnswer> {
  const { promise, resolve } = Promise.withResolvers<KeychainAnswer>()
  // The secret goes over the channel: arguments and environment are there for others to read.
  const child = fork(join(import.meta.dirname, 'keychain-child.ts'), [], {
    env,
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const timer = setTimeout(
    () => settle({ type: 'failed', reason: `it did not answer within ${limitMs / 1000} s` }),
    limitMs,
  )
  function settle(answer: KeychainAnswer): void {
    clearTimeout(timer)
    child.kill('SIGKILL')
    resolve(answer)
  }
  child.once('message', message => settle(message as KeychainAnswer))
  child.once('error', error => settle({ type: 'failed', reason: error.message }))
  child.once('exit', (code, signal) =>
    settle({ type: 'failed', reason: `the process that asks it ended with ${signal ?? `code ${code}`}` }),
  )
  child.send(request, error => {
    if (error) settle({ type: 'failed', reason: error.message })
  })
  return promise
}
