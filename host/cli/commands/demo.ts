import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import { resolveHome } from '../../home/home.ts'
import type { Cli } from '../cli.ts'
import { JSON_OPTION } from '../json-option.ts'

interface Options {
  keep?: true
  json?: true
}

export function addDemo(program: Command, cli: Cli): void {
  program
    .command('demo')
    .description('See all of it work on this machine: no network, no key, nothing left behind.')
    .option('--keep', 'leave the service running, with commands to try, until Ctrl-C')
    .option(...JSON_OPTION)
    .action((options: Options) => demo(cli, options))
}

/** Between two pieces of an answer: fast enough not to wait for, slow enough to see it stream. */
const PIECE_MS = 12

/** Nobody sits at the page of the demo service: its code is confirmed by then. */
const CONFIRM_MS = 500

async function demo(cli: Cli, { keep, json }: Options): Promise<void> {
  const { createDemoService } = await import('../../demo/service.ts')
  const { writeSetting } = await import('../../home/settings.ts')
  const { runDemo } = await import('../demo/run-demo.ts')
  await using home = await temporaryFolder('airlock-demo-')
  const key = `demo-${randomBytes(12).toString('hex')}`
  await using service = await createDemoService({
    key,
    pacing: { everyMs: PIECE_MS },
    signIn: { confirmAfterMs: CONFIRM_MS },
  })
  const { settingsFile } = resolveHome({ home: home.path, env: cli.env })
  await writeSetting(settingsFile, ['providers', 'openai-compatible', 'apiUrl'], service.url)
  await writeSetting(settingsFile, ['providers', 'demo', 'apiUrl'], new URL(service.url).origin)
  await writeSetting(settingsFile, ['aliases', 'default'], 'openai-compatible/parrot-1')
  cli.signal.throwIfAborted()

  const keyVariable = await runDemo(cli, { home: home.path, service, key, json: json === true })
  if (!keep) return
  if (keyVariable !== undefined)
    await writeSetting(settingsFile, ['allowedEnv', 'openai-compatible'], [keyVariable])
  await keepRunning(cli, { home: home.path, keyVariable, key })
}

async function keepRunning(
  { env, output, signal, catchInterrupt }: Cli,
  { home, keyVariable, key }: { home: string; keyVariable: string | undefined; key: string },
): Promise<void> {
  // Under npm the command is not on the path, and the Node that is may be too old.
  const airlock = env.npm_command === undefined ? 'airlock' : 'npx airlock'
  output.line()
  output.line({ text: 'The service stays. In another terminal:', style: 'bold' })
  output.line(`  export AIRLOCK_HOME=${home}`)
  // The folder goes when this ends; an entry in the keychain would stay.
  output.line('  export AIRLOCK_KEYCHAIN=off')
  if (keyVariable !== undefined) output.line(`  export ${keyVariable}=${key}`)
  for (const command of [
    'models',
    'complete "Hello there"',
    'chat',
    'permissions openai-compatible',
    'login demo',
  ])
    output.line(`  ${airlock} ${command}`)
  output.line('Ctrl-C here ends it and removes the folder.')
  await new Promise<void>(resolve => {
    // Ending it so is what it is for: no interruption.
    catchInterrupt(() => {
      resolve()
      return true
    })
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

async function temporaryFolder(prefix: string): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), prefix))
  return {
    path,
    async [Symbol.asyncDispose]() {
      await rm(path, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}
