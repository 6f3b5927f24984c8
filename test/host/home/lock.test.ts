import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { withLock } from '../../../host/home/lock.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'airlock-lock-'))
  await writeFile(join(folder, 'file'), '')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('withLock says at once where no lock can be put, and blames no other process', async () => {
  const began = performance.now()
  const locked = withLock(join(folder, 'file/below/settings.json.lock'), async () => {})
  await expect(locked).rejects.toMatchObject({
    code: 'not-writable',
    message: expect.stringMatching(/^Cannot write in .*file\/below: ENOTDIR.*AIRLOCK_HOME/),
  })
  expect(performance.now() - began).toBeLessThan(2_000)
})
