import buildStaleExtensions from '../support/built-extensions.ts'
import { BEHAVIOURS } from './behaviours.ts'
import type { Behaviour } from './exchange.ts'
import { SUBJECTS } from './extensions.ts'
import { FAILURES } from './failures.ts'
import { type Outcome, type Outcomes, runTables } from './run-table.ts'

/** `npm run conformance [-- PROVIDER...]`: the matrix as Markdown, and exit code 1 where a cell fails. */
async function main(): Promise<void> {
  buildStaleExtensions()
  const wanted = process.argv.slice(2)
  const subjects = SUBJECTS.filter(({ provider }) => wanted.length === 0 || wanted.includes(provider))
  const outcomes = new Map<string, Outcomes>()
  for (const [{ provider }, table] of runTables(subjects)) {
    outcomes.set(provider, await table)
    process.stderr.write(`${provider} `)
  }
  process.stderr.write('\n')
  const absent = new Map<string, number>()
  const write = (title: string, rows: readonly Behaviour[]) => {
    const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
    const asked = [...outcomes].filter(([, cells]) => cells.has(rows[0]!.id))
    const body = asked.map(([provider, cells]) =>
      line([provider, ...rows.map(row => cell(cells.get(row.id), absent))]),
    )
    const head = [line(['', ...rows.map(row => row.title)]), line(['---', ...rows.map(() => '---')])]
    process.stdout.write(`## ${title}\n\n${[...head, ...body].join('\n')}\n\n`)
  }
  write('Behaviours', BEHAVIOURS)
  write('Failures', FAILURES)
  const notes = [...absent].map(([why, number]) => `${number}. no such thing: ${why}`)
  process.stdout.write(`${notes.join('\n')}\n`)
  const failed = [...outcomes].flatMap(([provider, cells]) =>
    [...cells].flatMap(([row, outcome]) =>
      outcome.is === 'fail' ? [`${provider}, ${row}: ${describe(outcome.error)}`] : [],
    ),
  )
  if (failed.length === 0) return
  process.stdout.write(`\n## What failed\n\n${failed.map(line => `- ${line}`).join('\n')}\n`)
  process.exitCode = 1
}

function cell(outcome: Outcome | undefined, absent: Map<string, number>): string {
  if (outcome === undefined || outcome.is === 'fail') return '**FAIL**'
  if (outcome.is === 'pass') return 'pass'
  const number = absent.get(outcome.why) ?? absent.size + 1
  absent.set(outcome.why, number)
  return `none (${number})`
}

function describe(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replaceAll('\n', ' ').slice(0, 1_500)
}

await main()
