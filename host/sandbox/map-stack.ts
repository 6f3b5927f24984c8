import { stat } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'

// The map of the largest bundle seen, the AI SDK's provider, has 1.5 MB.
const MAX_MAP_BYTES = 16 * 1024 * 1024
const HEAP_MIB = 256
// Reading a map of 16 MB takes a second; one that takes longer is left alone from then on.
const ANSWER_MS = 10_000
// Errors come in bursts.
const IDLE_MS = 5_000

/** To the mapping thread, and back. */
export interface StackMessage {
  id: number
  message: string
}

/**
 * Reads stack traces of a guest's log with the source map beside its component, so that they name the author's
 * file and line. Where there is no map, or it does not fit, lines stay as they are. A map is an author's file and
 * untrusted: it is read in a thread of its own, which lives for as long as traces come.
 */
export function createStackMapper(componentFile: string): (message: string) => Promise<string> {
  const file = `${componentFile}.map`
  const waiting = new Map<number, (message: string) => void>()
  let usable: Promise<boolean> | undefined
  let worker: Worker | undefined
  let idle: NodeJS.Timeout | undefined
  let count = 0

  function end() {
    const ended = worker
    worker = undefined
    void ended?.terminate()
  }

  /** For good: a map that is broken once is broken always. */
  function giveUp() {
    usable = Promise.resolve(false)
    end()
    for (const resolve of waiting.values()) resolve('')
    waiting.clear()
  }

  function ensure(): Worker {
    if (worker) return worker
    const started = new Worker(new URL('./map-stack-worker.ts', import.meta.url), {
      workerData: { file },
      env: {},
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
    })
    started.unref()
    started.on('message', ({ id, message }: StackMessage) => {
      waiting.get(id)?.(message)
      waiting.delete(id)
    })
    started.on('error', giveUp)
    worker = started
    return started
  }

  async function map(message: string): Promise<string> {
    const id = ++count
    clearTimeout(idle)
    const mapped = await new Promise<string>(resolve => {
      waiting.set(id, resolve)
      ensure().postMessage({ id, message } satisfies StackMessage)
      setTimeout(() => waiting.has(id) && giveUp(), ANSWER_MS).unref()
    })
    if (waiting.size === 0) idle = setTimeout(end, IDLE_MS).unref()
    return mapped === '' ? message : mapped
  }

  return async message => {
    if (!message.includes('at ') || !message.includes(':')) return message
    usable ??= stat(file).then(
      ({ size }) => size <= MAX_MAP_BYTES,
      () => false,
    )
    return (await usable) ? map(message) : message
  }
}
