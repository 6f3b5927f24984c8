// A contestant's own process (fork): node --expose-gc contestant-process.ts <name> <server's url>
import { setTimeout as sleep } from 'node:timers/promises'
import { TEXT } from './answer.ts'
import { type Contestant, type ContestantName, createContestant } from './contestant.ts'
import type { Order, Reply } from './messages.ts'

const [name, url] = process.argv.slice(2) as [ContestantName, string]
const contestant = await createContestant(name, url)

process.on('message', (order: Order) => {
  carryOut(order).then(reply, (error: unknown) => {
    reply({
      type: 'failed',
      message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    })
  })
})
process.once('disconnect', () => {
  void contestant[Symbol.asyncDispose]().then(() => process.exit())
})
reply({ type: 'ready' })

function reply(message: Reply): void {
  process.send?.(message)
}

async function carryOut(order: Order): Promise<Reply> {
  switch (order.type) {
    case 'round':
      return round(order.model, order.streams)
    case 'hold':
      return hold(order.model, order.streams)
    case 'instances':
      return instances(order.model)
    default:
      return order satisfies never
  }
}

async function round(model: string, streams: number): Promise<Reply> {
  const cpu = process.cpuUsage() // all threads of the process
  const start = performance.now()
  const texts = await Promise.all(Array.from({ length: streams }, () => contestant.answer(model)))
  const wallMs = performance.now() - start
  const { user, system } = process.cpuUsage(cpu)
  for (const text of texts) {
    if (text !== TEXT) throw new Error(`${name} read ${text.length} characters, sent were ${TEXT.length}`)
  }
  return { type: 'round', cpuMs: (user + system) / 1000, wallMs }
}

async function hold(model: string, streams: number): Promise<Reply> {
  const idleMiB = await weigh()
  const open: { release(): Promise<void> }[] = await Promise.all(
    Array.from({ length: streams }, () => contestant.open(model)),
  )
  const openMiB = await weigh()
  await Promise.all(open.map(stream => stream.release()))
  return { type: 'hold', idleMiB, openMiB }
}

/** Resident memory once the garbage is gone and its pages are given back. */
async function weigh(): Promise<number> {
  for (let turn = 0; turn < 4; turn++) {
    globalThis.gc?.()
    await sleep(100)
  }
  return process.memoryUsage.rss() / 2 ** 20
}

async function instances(model: string): Promise<Reply> {
  const count = async (which: Contestant) => (await which.instances?.()) ?? 0
  const one = await contestant.open(model)
  const first = await count(contestant)
  const two = await contestant.open(model)
  const second = await count(contestant)
  await Promise.all([one.release(), two.release()])
  return { type: 'instances', first, second }
}
