import { randomBytes } from 'node:crypto'
import { open, readdir, readFile } from 'node:fs/promises'
import { serialize } from 'node:v8'
import type { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { createAirlock, createMemoryStore } from '../../host/index.ts'
import { dangerouslyReplace } from '../../host/runtime/dangerous.ts'
import type { OpenChannel } from '../../host/sandbox/channel.ts'
import { startScriptedServer } from '../servers/scripted.ts'
import { createTestHome, openaiCompatible } from '../support/home.ts'

const CHUNK = 'data: {"id":"1","choices":[{"index":0,"delta":{"content":"fine "}}]}\n\n'
const END = 'data: {"id":"1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'

/** A completion by a service that checks the key, held open in its middle while `look` looks around. */
async function completeWithKey(isolation: 'thread' | 'process', look: (key: string) => Promise<void>) {
  const key = `sk-${randomBytes(24).toString('hex')}`
  const { promise: looked, resolve: goOn } = Promise.withResolvers<void>()
  await using server = await startScriptedServer(({ headers }) =>
    headers.authorization === `Bearer ${key}`
      ? { headers: { 'x-echo': key }, body: [CHUNK, `: ${key}\n\n`, looked, CHUNK, END] }
      : { status: 401, body: ['{"error":{"message":"wrong key"}}'] },
  )
  await using home = await createTestHome({ extensions: [], serviceUrl: server.url })
  const messages: Buffer[] = []
  const record = (message: unknown) => messages.push(serialize(message))
  const spying =
    (own: OpenChannel): OpenChannel =>
    (events, memoryMiB) => {
      const channel = own(
        {
          ...events,
          message(message) {
            record(message)
            events.message(message)
          },
        },
        memoryMiB,
      )
      return {
        ...channel,
        post(message, transfer) {
          record(message)
          channel.post(message, transfer)
        },
      }
    }
  await using airlock = await createAirlock({
    home: home.folder,
    env: {},
    isolation,
    credentials: createMemoryStore([
      [{ extension: 'openai-compatible', provider: 'openai-compatible' }, key],
    ]),
    [dangerouslyReplace]: { channel: spying },
  })
  await airlock.load(openaiCompatible)
  const completion = airlock.complete({
    model: 'openai-compatible/m',
    messages: [{ role: 'user', content: 'Go.' }],
  })
  const answer = completion.result()
  answer.catch(() => {})
  for await (const event of completion) if (event.type === 'text') break
  try {
    await look(key)
  } finally {
    goOn()
  }
  expect((await answer).text).toBe('fine fine ')
  expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${key}`)

  const all = Buffer.concat(messages)
  // The search finds what is there: the text of the answer, which went through the same messages.
  expect(contains(all, 'fine ')).toBe(true)
  expect(contains(all, key)).toBe(false)
}

test('a key in use is in no heap snapshot of the thread, nor in its messages', {
  timeout: 120_000,
}, async () => {
  const workers: Worker[] = []
  const listen = (worker: Worker) => workers.push(worker)
  process.on('worker', listen)
  try {
    await completeWithKey('thread', async key => {
      const snapshots = await Promise.all(workers.filter(worker => worker.threadId > 0).map(snapshotOf))
      const sandbox = snapshots.find(snapshot => contains(snapshot, 'airlock_'))
      expect(sandbox).toBeDefined()
      for (const snapshot of snapshots) expect(contains(snapshot, key)).toBe(false)
    })
  } finally {
    process.off('worker', listen)
  }
})

test.runIf(process.platform === 'linux')(
  'a key in use is nowhere in the memory of the process, nor in its messages',
  { timeout: 120_000 },
  async () => {
    await completeWithKey('process', async key => {
      const children = await childrenOf(process.pid)
      const found = await Promise.all(children.map(pid => searchMemory(pid, ['airlock_', key])))
      expect(found.filter(([placeholder]) => placeholder).length).toBe(1)
      for (const [, secret] of found) expect(secret).toBe(false)
    })
  },
)

async function snapshotOf(worker: Worker): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of await worker.getHeapSnapshot()) chunks.push(Buffer.from(chunk as Uint8Array))
  return Buffer.concat(chunks)
}

async function childrenOf(pid: number): Promise<number[]> {
  const tasks = await readdir(`/proc/${pid}/task`)
  const lists = await Promise.all(
    tasks.map(task => readFile(`/proc/${pid}/task/${task}/children`, 'utf8').catch(() => '')),
  )
  return lists.flatMap(list => list.trim().split(' ').filter(Boolean).map(Number))
}

/** Whether each text stands anywhere in what a process has mapped and may write, in either width of characters. */
async function searchMemory(pid: number, texts: readonly string[]): Promise<boolean[]> {
  const maps = await readFile(`/proc/${pid}/maps`, 'utf8')
  const found = texts.map(() => false)
  await using memory = await open(`/proc/${pid}/mem`)
  for (const [, from = '', to = ''] of maps.matchAll(/^([0-9a-f]+)-([0-9a-f]+) rw/gm)) {
    const end = Number.parseInt(to, 16)
    const buffer = Buffer.alloc(4 * 1024 * 1024)
    // Pieces overlap, so that a text across two of them is found.
    for (let at = Number.parseInt(from, 16); at < end; at += buffer.length - 256) {
      const length = Math.min(buffer.length, end - at)
      const { bytesRead } = await memory.read(buffer, 0, length, at).catch(() => ({ bytesRead: 0 }))
      // What was reserved and never touched cannot be read, gigabytes of it around each memory of WebAssembly.
      if (bytesRead === 0) break
      const piece = buffer.subarray(0, bytesRead)
      texts.forEach((text, index) => {
        found[index] ||= contains(piece, text)
      })
    }
  }
  return found
}

function contains(bytes: Buffer, text: string): boolean {
  return bytes.includes(text) || bytes.includes(Buffer.from(text, 'utf16le'))
}
