import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import type { KillReport } from './kill-many.ts'

const run = promisify(execFile)

async function killMany(kills: number, isolation: string): Promise<KillReport> {
  const script = join(import.meta.dirname, 'kill-many.ts')
  const { stdout } = await run(process.execPath, ['--expose-gc', script, `${kills}`, isolation])
  return JSON.parse(stdout) as KillReport
}

test.each([
  [500, 'thread'],
  [40, 'process'],
])(
  '%i endless loops, each killed with its %s, leave nothing behind',
  { timeout: 400_000 },
  async (kills, isolation) => {
    const { threads, resources, residentMiB, heapMiB, unexpected } = await killMany(kills, isolation)
    expect(unexpected).toEqual([])
    expect(threads[1]).toBeLessThanOrEqual(threads[0])
    expect(resources[1]).toBeLessThanOrEqual(resources[0])
    expect(heapMiB).toBeLessThan(20)
    expect(residentMiB).toBeLessThan(20)
  },
)
