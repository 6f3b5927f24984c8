// The demo service as its own process, so that a bench measures its client alone:
//   node host/demo/serve.ts [--key KEY] [--pieces 2000] [--pacing at-once|socket|MILLISECONDS] [--port 0]
// Prints the service's address on a line; ends with its standard input or a signal.
import { parseArgs } from 'node:util'
import { createDemoService, type DemoServiceOptions, type Pacing } from './service.ts'

const { values } = parseArgs({
  options: {
    key: { type: 'string' },
    pieces: { type: 'string' },
    pacing: { type: 'string', default: 'socket' },
    port: { type: 'string', default: '0' },
  },
})
const options: DemoServiceOptions = { pacing: readPacing(values.pacing), port: Number(values.port) }
if (values.key !== undefined) options.key = values.key
if (values.pieces !== undefined) options.pieces = Number(values.pieces)

const service = await createDemoService(options)
console.log(service.url)
// A parent that dies takes its end of the pipe along: nothing is left behind.
process.stdin.resume().on('end', () => void service.close())
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void service.close().then(() => process.exit(0)))

function readPacing(text: string): Pacing {
  if (text === 'at-once' || text === 'socket') return text
  const everyMs = Number(text)
  if (!(everyMs >= 0)) throw new Error(`--pacing must be at-once, socket or milliseconds: it is ${text}`)
  return { everyMs }
}
