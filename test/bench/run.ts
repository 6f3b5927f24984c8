// npm run bench [-- --quick]: Airlock against `@ai-sdk/openai-compatible`, a Markdown table on stdout, JSON beside it.
import { mkdir, writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { CHUNKS, HOLD, modelOf, PACES } from './answer.ts'
import { startContestant, startServer } from './processes.ts'
import { type Row, race } from './race.ts'
import { measureStartUp, type StartUp } from './start-up.ts'

const HELD_STREAMS = 500

const { values } = parseArgs({
  options: {
    /** One round of everything: proves that the bench runs, measures nothing. */
    quick: { type: 'boolean', default: false },
    /** Of each contestant and row. Five are the least. */
    rounds: { type: 'string', default: '7' },
  },
})
const rounds = values.quick ? 1 : Math.max(5, Number(values.rounds))
const note = (text: string) => process.stderr.write(`${text}\n`)

await using server = await startServer()

const rows: Row[] = []
for (const streams of [1, 20]) {
  for (const pace of PACES) {
    note(`${pace}, ${streams} ${streams === 1 ? 'stream' : 'streams'}`)
    rows.push(await race(server.url, pace, streams, rounds))
  }
}

note(`${HELD_STREAMS} open streams`)
const held = await holdStreams()
note('start')
const startUp = await measureStartUp(server.url, rounds)

console.log(raceTable(rows))
console.log(factsTable(held, startUp))

const folder = new URL('results/', import.meta.url)
await mkdir(folder, { recursive: true })
const file = fileURLToPath(new URL(`${new Date().toISOString().replaceAll(':', '-')}.json`, folder))
const machine = {
  node: process.version,
  cpu: cpus()[0]?.model,
  cores: cpus().length,
  platform: process.platform,
}
await writeFile(file, `${JSON.stringify({ machine, chunks: CHUNKS, rows, held, startUp }, null, 2)}\n`)
console.log(`JSON: ${file}`)

interface Held {
  airlockMiB: number
  aiSdkMiB: number
  /** Of the guest, with one answer open and with two. */
  instances: { first: number; second: number }
}

async function holdStreams(): Promise<Held> {
  const added = async (name: 'airlock' | 'ai-sdk') => {
    await using contestant = await startContestant(name, server.url)
    await contestant.send({ type: 'round', model: modelOf('all at once'), streams: 1 })
    const { idleMiB, openMiB } = await contestant.send({ type: 'hold', model: HOLD, streams: HELD_STREAMS })
    return openMiB - idleMiB
  }
  await using airlock = await startContestant('airlock', server.url)
  const { first, second } = await airlock.send({ type: 'instances', model: HOLD })
  return {
    airlockMiB: await added('airlock'),
    aiSdkMiB: await added('ai-sdk'),
    instances: { first, second },
  }
}

function raceTable(rows: readonly Row[]): string {
  const lines = rows.map(({ pace, streams, airlock, aiSdk, ratio }) => [
    pace,
    String(streams),
    airlock.cpuUs.toFixed(1),
    aiSdk.cpuUs.toFixed(1),
    ratio.cpu.toFixed(2),
    airlock.wallUs.toFixed(1),
    aiSdk.wallUs.toFixed(1),
    ratio.wall.toFixed(2),
  ])
  return [
    `${CHUNKS} chunks a stream, microseconds an event, medians of ${rounds} rounds; CPU of the whole process.`,
    '',
    ...table(
      ['chunks', 'streams', 'CPU Airlock', 'CPU AI SDK', 'ratio', 'wall Airlock', 'wall AI SDK', 'ratio'],
      lines,
    ),
    '',
  ].join('\n')
}

function factsTable(held: Held, startUp: StartUp): string {
  const ms = (value: number) => `${value.toFixed(0)} ms`
  const mib = (value: number) => `${value.toFixed(0)} MiB`
  const { node, imports, create, models, total, command } = startUp
  return [
    ...table(
      ['what', 'measured', 'aim'],
      [
        [`memory of ${HELD_STREAMS} open streams, above idle`, mib(held.airlockMiB), 'under 150 MiB'],
        ['the same for AI SDK', mib(held.aiSdkMiB), ''],
        [
          'instances of the guest with one completion open, with two',
          `${held.instances.first}, ${held.instances.second}`,
          'no more with two',
        ],
        ['start of the process to the first model list, cache warm', ms(total), 'under 400 ms'],
        ['- Node itself', ms(node), ''],
        ['- loading the host', ms(imports), ''],
        ['- createAirlock', ms(create), ''],
        ['- models(): worker, component, answer', ms(models), ''],
        ['`airlock models --json`, whole process', ms(command), ''],
      ],
    ),
    '',
  ].join('\n')
}

function table(head: readonly string[], lines: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...lines.map(line)]
}
