// node test/bench/isolation.ts [rounds]: what the second wall costs, against the first. A table on stdout.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Airlock, createAirlock } from '../../host/index.ts'
import { repoRoot } from '../support/repo-root.ts'
import { CHUNKS, modelOf, PACES, TEXT } from './answer.ts'
import { median } from './median.ts'
import { startServer } from './processes.ts'

const EXTENSION = 'openai-compatible'
const ISOLATIONS = ['thread', 'process'] as const
type Isolation = (typeof ISOLATIONS)[number]

const rounds = Number(process.argv[2] ?? 5)
await using server = await startServer()
const home = await mkdtemp(join(tmpdir(), 'airlock-bench-'))

async function start(isolation: Isolation): Promise<Airlock> {
  const availableModels = PACES.map(pace => ({ name: modelOf(pace), maxTokens: 32_768 }))
  const airlock = await createAirlock({
    home,
    env: {},
    isolation,
    settings: { providers: { [EXTENSION]: { apiUrl: `${server.url}/v1`, availableModels } } },
  })
  await airlock.load(join(repoRoot, 'extensions', EXTENSION))
  return airlock
}

/** Of this process and of the sandboxes that are its children. */
async function usage(): Promise<{ cpuMs: number; residentMiB: number }> {
  const { user, system } = process.cpuUsage()
  const own = { cpuMs: (user + system) / 1000, residentMiB: process.memoryUsage.rss() / 2 ** 20 }
  for (const task of await readdir('/proc/self/task')) {
    const children = await readFile(`/proc/self/task/${task}/children`, 'utf8').catch(() => '')
    for (const pid of children.split(' ').filter(Boolean)) {
      const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
      if (!command.includes('sandbox/child.ts')) continue
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
      // utime and stime of proc(5), in ticks of 10 ms.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      own.cpuMs += (Number(fields[11]) + Number(fields[12])) * 10
      const status = await readFile(`/proc/${pid}/status`, 'utf8')
      own.residentMiB += Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024
    }
  }
  return own
}

async function read(airlock: Airlock, model: string): Promise<void> {
  let text = ''
  const completion = airlock.complete({
    model: `${EXTENSION}/${model}`,
    messages: [{ role: 'user', content: 'Go on.' }],
  })
  for await (const event of completion) if (event.type === 'text') text += event.text
  if (text !== TEXT) throw new Error(`${text.length} characters came, ${TEXT.length} were sent`)
}

const lines: [string, Record<Isolation, number>][] = []
const measure = async (name: string, of: (isolation: Isolation) => Promise<number>) => {
  const values = { thread: [] as number[], process: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    for (const isolation of ISOLATIONS) values[isolation].push(await of(isolation))
  }
  lines.push([name, { thread: median(values.thread), process: median(values.process) }])
}

await start('thread').then(async airlock => {
  await airlock.models()
  await airlock.close()
})
await measure('start to the first list of models, ms', async isolation => {
  await using airlock = await start(isolation)
  const from = performance.now()
  await airlock.models()
  return performance.now() - from
})
await measure('resident memory that the sandbox adds, MiB', async isolation => {
  globalThis.gc?.()
  const before = await usage()
  await using airlock = await start(isolation)
  await read(airlock, modelOf('all at once'))
  return (await usage()).residentMiB - before.residentMiB
})
for (const streams of [1, 20]) {
  for (const pace of PACES) {
    const airlocks = { thread: await start('thread'), process: await start('process') }
    for (const isolation of ISOLATIONS) await read(airlocks[isolation], modelOf('all at once'))
    await measure(`${pace}, ${streams} streams: CPU of all, us an event`, async isolation => {
      const before = await usage()
      await Promise.all(Array.from({ length: streams }, () => read(airlocks[isolation], modelOf(pace))))
      return (((await usage()).cpuMs - before.cpuMs) * 1000) / (streams * CHUNKS)
    })
    for (const isolation of ISOLATIONS) await airlocks[isolation].close()
  }
}
await rm(home, { recursive: true, force: true })

console.log('| what | thread | process | ratio |\n| --- | --- | --- | --- |')
for (const [name, { thread, process: other }] of lines)
  console.log(`| ${name} | ${thread.toFixed(1)} | ${other.toFixed(1)} | ${(other / thread).toFixed(2)} |`)
