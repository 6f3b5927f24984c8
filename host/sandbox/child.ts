// The entry of the sandbox's process: wires its line to the host to the guest and does nothing else.
import { createSandboxEnd } from './guest.ts'

if (!process.send) throw new Error('child.ts runs as a child process with a line to its host')
const send = process.send.bind(process)
process.on(
  'message',
  createSandboxEnd(message => send(message)),
)
// The host is gone: nobody is left to work for.
process.on('disconnect', () => process.exit(0))
