import type { Command } from 'commander'
import type { CredentialSource } from '../../credentials/credential-source.ts'
import type { AirlockStatus, ProviderStatus } from '../../runtime/status.ts'
import type { Cli } from '../cli.ts'
import { errorObject } from '../error-object.ts'
import { JSON_OPTION } from '../json-option.ts'
import { openAirlock } from '../open-airlock.ts'
import { sanitizeLabel } from '../terminal/sanitize.ts'
import { formatTable } from '../terminal/table.ts'

export function addStatus(program: Command, cli: Cli): void {
  program
    .command('status')
    .description('Show who is signed in, and where each key comes from. Shows no key.')
    .option(...JSON_OPTION)
    .action((options: { json?: true }) => status(cli, options))
}

const LOCKED_BY = {
  keychain: "the system's keychain",
  passphrase: 'a passphrase',
  'key-file': 'a key file beside it',
} as const

async function status(cli: Cli, { json }: { json?: true }): Promise<void> {
  const { output } = cli
  await using airlock = await openAirlock(cli)
  const found = await airlock.status()
  if (json) {
    const { storeProblem, ...rest } = found
    output.json({ ...rest, ...(storeProblem && { storeProblem: errorObject(storeProblem).error }) })
  } else print(found, cli)
  if (found.storeProblem) throw found.storeProblem
}

function print({ providers, notLoaded, store }: AirlockStatus, { output }: Cli): void {
  if (providers.length === 0) output.note('No provider is there. Begin with: airlock install openrouter')
  else {
    const rows = providers.map(provider => {
      const { since, expiresAt } = provider.credential ?? {}
      return [provider.provider, describeKey(provider), describeTime(since), describeTime(expiresAt)]
    })
    const layout = output.isTerminal ? { width: output.width } : {}
    for (const line of formatTable(['PROVIDER', 'KEY', 'SINCE', 'EXPIRES'], rows, layout))
      output.line(...line)
  }
  if (store?.lockedBy)
    output.note({ text: `Stored in ${store.file}, locked by ${LOCKED_BY[store.lockedBy]}.`, style: 'dim' })
  const warn = (text: string) => output.note({ text: 'airlock:', style: 'yellow' }, ` ${sanitizeLabel(text)}`)
  for (const file of store?.movedAside ?? []) warn(`Keys that could not be read were moved aside: ${file}`)
  for (const { extension, problem } of notLoaded) warn(`${extension} is not loaded: ${problem}`)
  for (const { extension, sandbox } of providers)
    if (sandbox.heldBackMs !== undefined)
      warn(`${extension} failed often and is held back for ${Math.ceil(sandbox.heldBackMs / 1000)} s`)
}

function describeKey({ provider, source, shadowed, credential }: ProviderStatus): string {
  if (source === undefined) return `none (airlock login ${provider})`
  const option = source.from === 'stored' && credential?.option ? ` with ${credential.option}` : ''
  const unused = shadowed.length > 0 ? `, not ${shadowed.map(describeSource).join(', ')}` : ''
  return `${describeSource(source)}${option}${unused}`
}

function describeSource(source: CredentialSource): string {
  return source.from === 'stored' ? 'signed in' : `from ${source.variable}`
}

/** In the local time, as `2026-11-30 14:05`. */
function describeTime(time: number | undefined): string {
  return time === undefined
    ? ''
    : new Date(time).toLocaleString('sv-SE', { dateStyle: 'short', timeStyle: 'short' })
}
