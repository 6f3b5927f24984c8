// Runs every hostile extension under both isolations, and tells what stopped it. Exit 1 if one got out.
// node test/escape/run.ts [id...]
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { sanitizeLabel } from '../../host/cli/terminal/sanitize.ts'
import { attacks } from './attacks/index.ts'
import { createStage, type Isolation } from './stage.ts'

const STALL_MS = 50

const wanted = process.argv.slice(2)
const chosen = attacks.filter(({ id }) => wanted.length === 0 || wanted.includes(id))
const widest = Math.max(...chosen.map(({ tries }) => tries.length))
let escaped = 0
let stalled = 0

for (const isolation of ['thread', 'process'] as const satisfies Isolation[]) {
  await using stage = await createStage(isolation)
  for (const attack of chosen) {
    const delay = monitorEventLoopDelay({ resolution: 5 })
    delay.enable()
    const start = performance.now()
    const outcome = await stage.perform(attack).then(
      stopped => stopped,
      (error: unknown) => {
        escaped++
        return `GOT OUT: ${error instanceof Error ? error.message : String(error)}`
      },
    )
    delay.disable()
    const stallMs = Math.max(0, delay.max / 1e6 - 5)
    if (stallMs > STALL_MS) stalled++
    const columns = [
      isolation.padEnd(7),
      attack.tries.padEnd(widest),
      `${(performance.now() - start).toFixed(0)} ms`.padStart(8),
      `${stallMs > STALL_MS ? '!' : ' '}${stallMs.toFixed(0)} ms`.padStart(7),
      sanitizeLabel(outcome).slice(0, 160),
    ]
    console.log(columns.join('  '))
  }
}
const plural = (count: number) => (count === 1 ? '' : 's')
console.log(
  `\n${chosen.length} hostile extensions, two isolations: ${escaped === 0 ? 'none got out' : `${escaped} GOT OUT`}. ` +
    `The main thread was held up for more than ${STALL_MS} ms during ${stalled} attack${plural(stalled)}.`,
)
process.exitCode = escaped === 0 ? 0 : 1
