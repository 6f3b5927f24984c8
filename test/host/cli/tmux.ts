import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { repoRoot } from '../../support/repo-root.ts'

const run = promisify(execFile)
/** Until something is on the screen: generous, since other tests run beside. */
const PATIENCE_MS = 20_000

export interface Terminal extends AsyncDisposable {
  /** Types text as it is. */
  type(text: string): Promise<void>
  /** Presses keys by tmux's names: `Enter`, `C-c`, `Up`. */
  press(...keys: string[]): Promise<void>
  /** Pastes text the way a terminal does, with brackets where the program asked for them. */
  paste(text: string): Promise<void>
  /** What is on the screen, as text. */
  screen(): Promise<string>
  /** Waits for the screen to match, and returns it. */
  shows(pattern: RegExp): Promise<string>
  /** Waits for the program's end, and returns its exit code. */
  exitCode(): Promise<number>
}

/** Runs `airlock` in a terminal of its own: a real one, drawn by tmux. */
export async function openTerminal(
  args: readonly string[],
  { env, columns = 80, rows = 40 }: { env: NodeJS.ProcessEnv; columns?: number; rows?: number },
): Promise<Terminal> {
  const socket = `airlock-test-${randomUUID()}`
  const tmux = async (...command: string[]) =>
    (
      await run('tmux', ['-L', socket, '-f', '/dev/null', ...command], {
        env: { ...env, TERM: 'xterm-256color' },
      })
    ).stdout
  const variables = Object.entries(env).flatMap(([name, value]) =>
    value === undefined ? [] : ['-e', `${name}=${value}`],
  )
  // tmux itself misses the end of a program now and then on a busy machine; a shell around it does not.
  const folder = await mkdtemp(join(tmpdir(), 'airlock-tmux-'))
  const codeFile = join(folder, 'code')
  const script = `trap : INT; "$@"; echo $? > '${codeFile}'`
  const program = [process.execPath, join(repoRoot, 'host/bin/airlock.js'), ...args]
  const session = ['new-session', '-d', '-x', `${columns}`, '-y', `${rows}`, ...variables]
  await tmux(
    'set-option',
    '-g',
    'remain-on-exit',
    'on',
    ';',
    ...session,
    'sh',
    '-c',
    script,
    'sh',
    ...program,
  )

  const screen = () => tmux('capture-pane', '-p')
  async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
    const deadline = Date.now() + PATIENCE_MS
    for (;;) {
      const seen = await look()
      if (seen !== undefined) return seen
      if (Date.now() > deadline)
        throw new Error(`Waited in vain for ${what} on this screen:\n${await screen()}`)
      await sleep(50)
    }
  }
  return {
    screen,
    type: async text => void (await tmux('send-keys', '-l', text)),
    press: async (...keys) => void (await tmux('send-keys', ...keys)),
    async paste(text) {
      await tmux('set-buffer', text)
      await tmux('paste-buffer', '-p', '-r')
    },
    shows: pattern =>
      until(`${pattern}`, async () => {
        const shown = await screen()
        return pattern.test(shown) ? shown : undefined
      }),
    exitCode: () =>
      until('the end of the program', async () => {
        const code = await readFile(codeFile, 'utf8').catch(() => '')
        return code.endsWith('\n') ? Number(code) : undefined
      }),
    async [Symbol.asyncDispose]() {
      await tmux('kill-server').catch(() => undefined)
      await rm(folder, { recursive: true, force: true })
    },
  }
}
