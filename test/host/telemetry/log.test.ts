import pino from 'pino'
import { expect, test } from 'vitest'
import { InvalidOptionError, type LogEntry } from '../../../host/index.ts'
import { ask, KEY, keyEchoingService } from './key-echoing-service.ts'
import { mirrorAirlock, PROMPT } from './mirror-airlock.ts'

const answer = [
  { type: 'text', text: 'answer-kept-private' },
  { type: 'usage', inputTokens: 10, outputTokens: 4 },
  { type: 'stop', reason: 'end-turn' },
]

/** A logger of pino, and what it wrote. */
function pinoLogger() {
  const lines: string[] = []
  const logger = pino({ level: 'debug' }, { write: line => void lines.push(line) })
  return { logger, lines, entries: () => lines.map(line => JSON.parse(line) as Record<string, unknown>) }
}

const outcome = {
  model: 'mirror/large',
  durationMs: expect.any(Number),
  timeToFirstEventMs: expect.any(Number),
  attempts: 1,
  inputTokens: 10,
  outputTokens: 4,
  costUsd: expect.closeTo(0.00006, 12),
  outcome: 'end-turn',
}

test('pino: a completion is a line with its facts, and nothing of what is said', async () => {
  const { logger, lines, entries } = pinoLogger()
  await using mirror = await mirrorAirlock({ log: logger })
  await mirror.ask(answer).result()
  expect(entries()).toEqual([
    expect.objectContaining({
      level: 20,
      extension: 'mirror',
      ...outcome,
      msg: expect.stringMatching(
        /^Completion of mirror\/large ended: end-turn after \d+ ms, 10 tokens in, 4 out$/,
      ),
    }),
  ])
  expect(lines.join()).not.toContain('kept-private')
  expect(lines.join()).not.toContain(PROMPT)
})

test('a function: the same facts, as an entry', async () => {
  const entries: LogEntry[] = []
  await using mirror = await mirrorAirlock({ log: entry => entries.push(entry) })
  await mirror.ask(answer).result()
  expect(entries).toEqual([
    {
      level: 'debug',
      extension: 'mirror',
      message: expect.stringContaining('mirror/large'),
      fields: outcome,
      time: expect.any(Number),
    },
  ])
})

test('a failure is told with its words, from which the key that the service repeated is gone', async () => {
  const { logger, lines, entries } = pinoLogger()
  const { airlock } = await keyEchoingService({ log: logger })
  await expect(airlock.complete(ask).result()).rejects.toThrow()
  const ended = entries().find(({ msg }) => String(msg).startsWith('Completion of'))
  expect(ended).toMatchObject({
    level: 20,
    model: 'openai-compatible/m',
    outcome: 'authentication',
    error: expect.stringContaining('Incorrect key'),
  })
  expect(lines.join()).not.toContain(KEY)
})

test('waits and changes of model are lines at info', async () => {
  const { logger, entries } = pinoLogger()
  await using mirror = await mirrorAirlock({ log: logger, retry: { maxAttempts: 2 } })
  const fail = { kind: 'overloaded', message: 'Try later', retryAfterMs: 1 }
  const completion = mirror.ask([], { model: ['mirror/large', 'mirror/small'], fail })
  await expect(completion.result()).rejects.toThrow()
  const infos = entries().filter(({ level }) => level === 30)
  expect(infos).toContainEqual(
    expect.objectContaining({ model: 'mirror/large', to: 'mirror/small', outcome: 'overloaded' }),
  )
  expect(infos).toContainEqual(expect.objectContaining({ waitMs: expect.any(Number), outcome: 'overloaded' }))
})

test.each<[string, () => undefined | Promise<never>]>([
  [
    'throws',
    () => {
      throw new Error('disk full')
    },
  ],
  ['rejects', () => Promise.reject(new Error('disk full'))],
])('a log that %s breaks no completion', async (_, fail) => {
  await using mirror = await mirrorAirlock({ log: fail as () => undefined })
  expect(await mirror.ask(answer).result()).toMatchObject({ text: 'answer-kept-private' })
})

test.each([
  ['a word', 'stdout'],
  ['an object without methods', { write() {} }],
  ['null', null],
])('%s is no log', async (_, log) => {
  await expect(mirrorAirlock({ log: log as never })).rejects.toThrow(InvalidOptionError)
})
