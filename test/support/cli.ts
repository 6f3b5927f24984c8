import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { repoRoot } from './repo-root.ts'

export interface CliRun {
  /** Null where a signal ended it. */
  code: number | null
  stdout: string
  stderr: string
  /** The lines of stdout, without the empty one at its end. */
  lines: string[]
}

export interface CliOptions {
  env: NodeJS.ProcessEnv
  /** Standard input. Default: empty and closed. */
  stdin?: string
  signal?: AbortSignal
}

/** Runs `airlock` as a shell would: its own process, the real entry file. */
export async function airlock(args: readonly string[], options: CliOptions): Promise<CliRun> {
  const command = join(repoRoot, 'host/bin/airlock.js')
  const child = spawn(process.execPath, [command, ...args], {
    cwd: repoRoot,
    env: options.env,
    stdio: 'pipe',
    ...(options.signal && { signal: options.signal }),
  })
  child.stdin.on('error', () => {}) // A command that reads no input may end before it is written.
  child.stdin.end(options.stdin ?? '')
  const exit = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), exit])
  return { code, stdout, stderr, lines: stdout.split('\n').filter(line => line !== '') }
}
