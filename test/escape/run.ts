// Runs every hostile extension under both isolations, and tells what stopped it. Exit 1 if one got out.
// node test/escape/run.ts [id...]
import { sanitizeLabel } from '../../host/cli/terminal/sanitize.ts'
import { attacks } from './attacks/index.ts'
import { createStage, type Isolation } from './stage.ts'
import { createStallMeter } from './stall-meter.ts'

const STALL_MS = 50

const wanted = process.argv.slice(2)
const chosen = attacks.filter(({ id }) => wanted.length === 0 || wanted.includes(id))
const widest = Math.max(...chosen.map(({ tries }) => tries.length))
let escaped = 0
let stalled = 0

for (const isolation of ['thread', 'process'] as const satisfies Isolation[]) {
  await using stage = await createStage(isolation)
  for (const attack of chosen) {
    const meter = createStallMeter()
    const start = performance.now()
    const outcome = await stage.perform(attack).then(
      stopped => stopped,
      (error: unknown) => {
        escaped++
        return `GOT OUT: ${explain(error)}`
      },
    )
    const stallMs = meter.stop()
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

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : `${error.message}: ${explain(error.cause)}`
}
