import { BEHAVIOURS, type Behaviour } from './behaviours.ts'
import { type Bench, startBench } from './bench.ts'
import type { Subject } from './extensions.ts'
import { FAILURES } from './failures.ts'

export type Outcome =
  | { is: 'pass' }
  /** The service has no such thing, and the request for it went as it should. */
  | { is: 'absent'; why: string }
  | { is: 'fail'; error: unknown }

/** Outcomes by the id of their row. */
export type Outcomes = ReadonlyMap<string, Outcome>

/** Ends what says nothing; long enough for a busy machine to say something. */
const IMPATIENT = { firstByteMs: 1_500, idleMs: 1_500 }
/** A busy machine stretches every call. */
const PATIENT = { computeMs: 60_000 }
/** Cells that run at the same time. */
const WIDTH = 6

/** Runs every cell of one extension. */
export async function runTable(subject: Subject): Promise<Outcomes> {
  const outcomes = new Map<string, Outcome>()
  await using bench = await startBench(subject, PATIENT)
  await using impatient = await startBench(subject, { ...PATIENT, ...IMPATIENT })
  const waiting: Behaviour[] = [...FAILURES, ...BEHAVIOURS]
  const work = async () => {
    for (let row = waiting.shift(); row; row = waiting.shift()) {
      const isSilent = FAILURES.some(failure => failure.id === row?.id && failure.isSilent)
      outcomes.set(row.id, await runCell(row, isSilent ? impatient : bench))
    }
  }
  await Promise.all(Array.from({ length: WIDTH }, work))
  return outcomes
}

async function runCell(row: Behaviour, bench: Bench): Promise<Outcome> {
  try {
    await row.check(bench)
  } catch (error) {
    return { is: 'fail', error }
  }
  const lack = bench.subject.lacks[row.id]
  return lack ? { is: 'absent', why: lack.why } : { is: 'pass' }
}
