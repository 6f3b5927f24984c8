// The entry of the sandbox's thread: wires its port to the guest and does nothing else.
import { parentPort } from 'node:worker_threads'
import { createSandboxEnd } from './guest.ts'

const port = parentPort
if (!port) throw new Error('worker.ts runs as a worker thread')
port.on(
  'message',
  createSandboxEnd(message => port.postMessage(message)),
)
