import { createHash } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { transpileComponent } from '../../../host/sandbox/transpile.ts'
import { buildRawGuest } from '../../support/raw-guest.ts'

test('transpileComponent: several of one process at the same time write one entry', async () => {
  const cacheFolder = await mkdtemp(join(tmpdir(), 'airlock-test-'))
  onTestFinished(() => rm(cacheFolder, { recursive: true, force: true }))
  const component = await buildRawGuest('export const provider = { ...minimal }')
  const digest = createHash('sha256').update(component).digest('hex')
  // Not even the clock tells them apart.
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const options = {
    cacheFolder,
    digest,
    read: async () => component,
    memoryMiB: 64,
    world: 'provider' as const,
  }
  const made = await Promise.all([1, 2, 3].map(() => transpileComponent(options)))
  expect(new Set(made.map(({ folder }) => folder)).size).toBe(1)
  // Nothing is left beside it.
  expect(await readdir(dirname(made[0]!.folder))).toEqual([digest])
}, 60_000)
