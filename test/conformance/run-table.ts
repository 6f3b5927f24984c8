import { BEHAVIOURS } from './behaviours.ts'
import { type Bench, startBench } from './bench.ts'
import type { Behaviour } from './exchange.ts'
import { FAILURES } from './failures.ts'
import type { Subject } from './subject.ts'

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
/** Extensions at work at the same time, and cells of each. */
const SUBJECTS_AT_ONCE = 3
const CELLS_AT_ONCE = 6

/** The rows that a subject is asked for. */
export function rowsOf({ failsLike }: Subject): readonly Behaviour[] {
  return failsLike === undefined ? [...BEHAVIOURS, ...FAILURES] : BEHAVIOURS
}

/** Begins to run every cell of every subject; each promise is for all cells of one. None of them rejects. */
export function runTables(subjects: readonly Subject[]): ReadonlyMap<Subject, Promise<Outcomes>> {
  const tables = new Map<Subject, Promise<Outcomes>>()
  const running: Promise<unknown>[] = []
  for (const [at, subject] of subjects.entries()) {
    const before = running[at - SUBJECTS_AT_ONCE] ?? Promise.resolve()
    const table = before.then(() => runTable(subject))
    running.push(table)
    tables.set(subject, table)
  }
  return tables
}

async function runTable(subject: Subject): Promise<Outcomes> {
  const rows = rowsOf(subject)
  const outcomes = new Map<string, Outcome>()
  try {
    await using resources = new AsyncDisposableStack()
    const bench = resources.use(await startBench(subject, PATIENT))
    const isPatient = subject.failsLike !== undefined
    const impatient = isPatient
      ? bench
      : resources.use(await startBench(subject, { ...PATIENT, ...IMPATIENT }))
    const silent = new Set<Behaviour>(FAILURES.filter(({ isSilent }) => isSilent))
    // What waits for a limit comes first, and the others use the time.
    const waiting = [...rows].sort((a, b) => Number(silent.has(b)) - Number(silent.has(a)))
    const work = async () => {
      for (let row = waiting.shift(); row; row = waiting.shift())
        outcomes.set(row.id, await runCell(row, silent.has(row) ? impatient : bench))
    }
    await Promise.all(Array.from({ length: CELLS_AT_ONCE }, work))
  } catch (error) {
    for (const { id } of rows) if (!outcomes.has(id)) outcomes.set(id, { is: 'fail', error })
  }
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
