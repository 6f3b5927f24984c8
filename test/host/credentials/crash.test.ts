import { spawn } from 'node:child_process'
import { readdir, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { indexOfValue, wholeValue } from './crash-value.ts'
import { type TemporaryHome, temporaryHome } from './temporary-home.ts'

const SEED = 20_260_417
/** In two homes at once. */
const WRITES_PER_HOME = 150
const MOST_WRITES_BEFORE_A_KILL = 50
/** About as long as a write takes, so that the kill falls anywhere in it. */
const LONGEST_DELAY_MS = 12

const bystander = { extension: 'other', provider: 'other' }
const owners = ['signed-in', 'rotated'] as const
type Marks = Record<(typeof owners)[number], number>

test('killed at random moments of 300 writes and refreshes, the store opens and holds old or new, whole', async () => {
  const results = await Promise.all([SEED, SEED + 1].map(abuse))
  const writes = results.reduce((sum, result) => sum + result.writes, 0)
  const kills = results.reduce((sum, result) => sum + result.kills, 0)
  expect(writes).toBeGreaterThanOrEqual(2 * WRITES_PER_HOME)
  expect(kills).toBeGreaterThanOrEqual(6)
}, 120_000)

async function abuse(seed: number): Promise<{ writes: number; kills: number }> {
  await using at = await temporaryHome()
  const random = seededRandom(seed)
  await at.open().set(bystander, 'nobody changes this')
  for (const provider of owners) await at.open().set({ extension: 'acme', provider }, wholeValue(0))
  const said: Marks = { 'signed-in': 0, rotated: 0 }
  let kills = 0
  const writes = () => said['signed-in'] + said.rotated
  while (writes() < WRITES_PER_HOME) {
    const before = Math.floor(random() * MOST_WRITES_BEFORE_A_KILL)
    const wasKilled = await runUntil(
      at,
      WRITES_PER_HOME - writes(),
      before,
      random() * LONGEST_DELAY_MS,
      said,
    )
    if (wasKilled) kills++
    const store = at.open()
    for (const provider of owners) {
      const index = indexOfValue((await store.get({ extension: 'acme', provider })) ?? '')
      // What was said to be stored is stored; what was not said may be stored or not.
      expect([said[provider], said[provider] + 1], `${provider}, seed ${seed}`).toContain(index)
      said[provider] = index
    }
    expect(await store.get(bystander)).toBe('nobody changes this')
    expect((await store.state()).movedAside).toEqual([])
    await letTimePass(at)
  }
  return { writes: writes(), kills }
}

/** Kills the process `delayMs` after it is ready and has written `before` times. False where it was done first. */
async function runUntil(
  at: TemporaryHome,
  writes: number,
  before: number,
  delayMs: number,
  said: Marks,
): Promise<boolean> {
  const script = join(import.meta.dirname, 'crash-process.ts')
  const child = spawn(process.execPath, [script, at.home.config, String(writes)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = new Promise<NodeJS.Signals | null>(resolve => {
    child.once('close', (_, signal) => resolve(signal))
  })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', text => {
    errors += text
  })
  let lines = 0
  for await (const line of createInterface({ input: child.stdout })) {
    const [provider, index] = line.split(' ')
    for (const known of owners) if (provider === known) said[known] = Number(index)
    if (lines++ === before) setTimeout(() => child.kill('SIGKILL'), delayMs)
  }
  const signal = await exited
  expect(errors).toBe('')
  return signal === 'SIGKILL'
}

/** A lock of a dead process is taken over after five seconds: they are made to have passed. */
async function letTimePass(at: TemporaryHome): Promise<void> {
  const before = new Date(Date.now() - 60_000)
  for (const name of await readdir(at.folder))
    if (name.endsWith('.lock')) await utimes(join(at.folder, name), before, before)
}

/** Mulberry32: the same moments in every run, as far as the machine allows. */
function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
