import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import type { Channel, ChannelEvents, OpenChannel } from './channel.ts'
import { jspiFlags } from './jspi-flags.ts'
import type { FromSandbox } from './protocol.ts'

// JavaScript around the guest: generated code, lifted values, WebAssembly's own bookkeeping. Measured: 8 MiB idle.
const HEAP_MIB_BESIDE_GUEST = 128

/** A sandbox in a worker thread: another thread is the only thing in Node that can stop an endless loop. */
export function openThread(cacheFolder: string): OpenChannel {
  return (events, memoryMiB) => startThread(cacheFolder, events, memoryMiB)
}

function startThread(cacheFolder: string, events: ChannelEvents, memoryMiB: number): Channel {
  for (const flag of jspiFlags()) setFlagsFromString(flag)

  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    // All that the thread sees of the environment, and the guest not even that: it halves the time of a start.
    env: { NODE_COMPILE_CACHE: join(cacheFolder, 'compiled') },
    argv: [],
    execArgv: [],
    stdin: false,
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: memoryMiB + HEAP_MIB_BESIDE_GUEST },
  })
  let killed = false
  const died = (reason: string) => {
    if (killed) return
    killed = true
    events.died(reason)
  }
  worker.on('message', (message: FromSandbox) => {
    if (!killed) events.message(message)
  })
  worker.on('messageerror', error => died(`a message could not be read: ${error.message}`))
  worker.on('error', error => died(error instanceof Error ? error.message : String(error)))
  worker.on('exit', code => died(`it ended with code ${code}`))
  worker.stdout.setEncoding('utf8').on('data', text => events.output(text))
  worker.stderr.setEncoding('utf8').on('data', text => events.output(text))

  return {
    post: (message, transfer) => worker.postMessage(message, transfer ?? []),
    async cpuMs() {
      const { user, system } = await worker.cpuUsage()
      return (user + system) / 1000
    },
    async kill() {
      killed = true
      await worker.terminate()
    },
  }
}
