// A process of its own, so that nothing else counts: kills an extension that loops for ever, again and again, and
// prints what is left behind. node --expose-gc test/escape/kill-many.ts <kills> <thread|process>
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createAirlock } from '../../host/index.ts'
import { handmade } from './handmade.ts'

export interface KillReport {
  kills: number
  /** Threads of this process, before and after. */
  threads: [number, number]
  /** What keeps the event loop alive, before and after. */
  resources: [number, number]
  /** Resident and JavaScript memory that was not given back, MiB. */
  residentMiB: number
  heapMiB: number
  /** Errors other than the one expected. */
  unexpected: string[]
}

const WARM_UP = 40
const [count = '500', isolation = 'thread'] = process.argv.slice(2)

const home = await mkdtemp(join(tmpdir(), 'airlock-kills-'))
const folder = join(home, 'loop')
const manifest = {
  id: 'loop',
  name: 'Loop',
  version: '1.0.0',
  contract: 'airlock:llm@0.1.0',
  component: 'loop.wasm',
  providers: [{ id: 'loop', name: 'Loop' }],
}
await mkdir(folder)
await writeFile(join(folder, 'extension.json'), JSON.stringify(manifest))
await writeFile(join(folder, 'loop.wasm'), await handmade('(loop $l (br $l)) (i32.const 16)'))
const airlock = await createAirlock({
  home,
  env: {},
  isolation: isolation as 'thread' | 'process',
  limits: { computeMs: 5, deaths: 1_000_000 },
})
await airlock.load(folder)
const unexpected: string[] = []

async function kill(times: number) {
  for (let time = 0; time < times; time++) {
    const { failures } = await airlock.models()
    const { code } = (failures[0]?.error ?? {}) as { code?: string }
    if (code !== 'extension-stopped') unexpected.push(String(failures[0]?.error))
  }
}

async function measure() {
  // A thread that was told to end needs a moment to.
  for (let turn = 0; turn < 5; turn++) {
    globalThis.gc?.()
    await sleep(100)
  }
  const status = await readFile('/proc/self/status', 'utf8').catch(() => '')
  return {
    threads: Number(/^Threads:\s+(\d+)/m.exec(status)?.[1] ?? 0),
    resources: process.getActiveResourcesInfo().length,
    memory: process.memoryUsage(),
  }
}

await kill(WARM_UP)
const before = await measure()
await kill(Number(count))
const after = await measure()
await airlock.close()
await rm(home, { recursive: true, force: true })
const report: KillReport = {
  kills: Number(count),
  threads: [before.threads, after.threads],
  resources: [before.resources, after.resources],
  residentMiB: (after.memory.rss - before.memory.rss) / 2 ** 20,
  heapMiB: (after.memory.heapUsed - before.memory.heapUsed) / 2 ** 20,
  unexpected: [...new Set(unexpected)].slice(0, 5),
}
console.log(JSON.stringify(report))
