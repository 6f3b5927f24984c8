import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createAirlock } from '../../host/index.ts'
import { repoRoot } from '../support/repo-root.ts'
import { median } from './median.ts'

const run = promisify(execFile)
const MODEL = { name: 'm', maxTokens: 32_768 }

/** Milliseconds, medians. */
export interface StartUp {
  /** From the start of the process to its first line. */
  node: number
  /** Loading `@airlock/host`. */
  imports: number
  /** `createAirlock`. */
  create: number
  /** `models()`: starts the extension's worker and asks it; it asks the loopback server in turn. */
  models: number
  /** All of the above: from the start of the process to the first list. */
  total: number
  /** `airlock models --json`, from outside: with the ends of the processes. */
  command: number
}

/** Starts processes that list the models of an installed extension, its cache warm. */
export async function measureStartUp(serviceUrl: string, rounds: number): Promise<StartUp> {
  const home = await mkdtemp(join(tmpdir(), 'airlock-bench-'))
  try {
    await install(home, serviceUrl)
    const probe = fileURLToPath(new URL('start-up-probe.ts', import.meta.url))
    const command = join(repoRoot, 'host/bin/airlock.js')
    const env = { ...process.env, AIRLOCK_HOME: home }
    const parts: Omit<StartUp, 'command'>[] = []
    const commands: number[] = []
    await run(process.execPath, [probe], { env })
    for (let round = 0; round < rounds; round++) {
      const { stdout } = await run(process.execPath, [probe], { env })
      parts.push(JSON.parse(stdout) as Omit<StartUp, 'command'>)
      const start = performance.now()
      await run(process.execPath, [command, 'models', '--json'], { env })
      commands.push(performance.now() - start)
    }
    const middle = (part: keyof Omit<StartUp, 'command'>) => median(parts.map(one => one[part]))
    return {
      node: middle('node'),
      imports: middle('imports'),
      create: middle('create'),
      models: middle('models'),
      total: middle('total'),
      command: median(commands),
    }
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

async function install(home: string, serviceUrl: string): Promise<void> {
  const settings = {
    providers: { 'openai-compatible': { apiUrl: `${serviceUrl}/v1`, availableModels: [MODEL] } },
  }
  await writeFile(join(home, 'settings.json'), JSON.stringify(settings))
  await using airlock = await createAirlock({ home, env: {} })
  await airlock.install(join(repoRoot, 'extensions/openai-compatible'), { agree: () => true })
}
