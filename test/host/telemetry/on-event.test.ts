import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type AirlockEvent, InvalidOptionError, type LogEntry } from '../../../host/index.ts'
import { ask, KEY, keyEchoingService } from './key-echoing-service.ts'
import { type MirrorAirlock, mirrorAirlock, PROMPT } from './mirror-airlock.ts'

const told: AirlockEvent[] = []
let mirror: MirrorAirlock
beforeAll(async () => {
  mirror = await mirrorAirlock({ onEvent: event => told.push(event) })
}, 60_000)
beforeEach(() => {
  told.length = 0
})
afterAll(() => mirror?.[Symbol.asyncDispose]())

const place = { extension: 'mirror', provider: 'mirror', model: 'large' }
const time = expect.any(Number)
const ofCompletions = () => told.filter(({ type }) => type !== 'models-changed')

test('a completion: started, attempt, ended with its time, usage, cost and reason, before the caller has it', async () => {
  await mirror
    .ask([
      { type: 'text', text: 'answer-kept-private' },
      { type: 'usage', inputTokens: 10, outputTokens: 4 },
      { type: 'stop', reason: 'max-tokens' },
    ])
    .result()
  const [{ id } = { id: 0 }] = ofCompletions() as { id: number }[]
  expect(ofCompletions()).toEqual([
    { type: 'completion-started', time, id, model: 'mirror/large' },
    { type: 'attempt', time, id, attempt: 1, ...place },
    {
      type: 'completion-ended',
      time,
      id,
      durationMs: expect.any(Number),
      timeToFirstEventMs: expect.any(Number),
      attempts: 1,
      ...place,
      usage: expect.objectContaining({
        inputTokens: 10,
        outputTokens: 4,
        cost: { input: 0.00002, output: 0.00004, total: expect.closeTo(0.00006, 12) },
      }),
      stopReason: 'max-tokens',
    },
  ])
  expect(JSON.stringify(told)).not.toContain('kept-private')
})

test('retries, the model that takes over, and a failure: as data that JSON can hold', async () => {
  const messages = [{ role: 'user' as const, content: PROMPT }]
  const fail = { kind: 'overloaded', message: 'Try later', retryAfterMs: 1, code: 'busy' }
  const completion = mirror.airlock.complete(
    {
      model: ['mirror/large', 'mirror/small'],
      messages,
      providerOptions: { events: [], fail },
    },
    { retry: { maxAttempts: 2 } },
  )
  await expect(completion.result()).rejects.toThrow()
  const events = JSON.parse(JSON.stringify(ofCompletions())) as AirlockEvent[]
  expect(events).toEqual(ofCompletions())
  const error = { type: 'overloaded', kind: 'overloaded', code: 'busy', message: expect.any(String) }
  expect(events.find(({ type }) => type === 'retry')).toMatchObject({
    ...place,
    model: expect.any(String),
    waitMs: expect.any(Number),
    error,
  })
  expect(events.find(({ type }) => type === 'fallback')).toMatchObject({
    from: 'mirror/large',
    to: 'mirror/small',
    error,
  })
  const attempts = events.filter(({ type }) => type === 'attempt')
  const ended = events.at(-1)!
  expect(ended).toMatchObject({
    type: 'completion-ended',
    ...place,
    model: 'small',
    attempts: attempts.length,
    error,
  })
  expect(ended).not.toHaveProperty('stopReason')
  expect(ended).not.toHaveProperty('timeToFirstEventMs')
})

test('a failure names no secret: the service repeated the key', async () => {
  const events: AirlockEvent[] = []
  const { airlock } = await keyEchoingService({ onEvent: event => events.push(event) })
  await expect(airlock.complete(ask).result()).rejects.toThrow()
  expect(events.at(-1)).toMatchObject({
    type: 'completion-ended',
    error: { kind: 'authentication', message: expect.stringContaining('Incorrect key') },
  })
  expect(JSON.stringify(events)).not.toContain(KEY)
})

test('an aborted completion ends once, at once', async () => {
  const completion = mirror.ask([])
  completion.cancel()
  const ended = () => told.filter(({ type }) => type === 'completion-ended')
  expect(ended()).toMatchObject([{ error: { type: 'AbortError' }, attempts: 0 }])
  await expect(completion.result()).rejects.toThrow()
  expect(ended()).toHaveLength(1)
})

test('tools: started and ended, without arguments, results and words of their own', async () => {
  using _ = mirror.airlock.tools.register('look', {
    description: 'Looks',
    readOnly: true,
    invoke: ({ parameters }) => {
      if ((parameters as { fail?: boolean }).fail) throw new Error('result-kept-private')
      return 'result-kept-private'
    },
  })
  using _asked = mirror.airlock.tools.register('change', { description: 'Changes', invoke: () => 'done' })
  const call = { parameters: { at: 'argument-kept-private' }, callId: 'call-1' }
  await mirror.airlock.tools.invoke('look', call)
  await mirror.airlock.tools.invoke('look', { parameters: { fail: true } }).catch(() => {})
  await mirror.airlock.tools.invoke('change', {})
  const [first, second, third] = told.filter(({ type }) => type === 'tool-started') as { id: number }[]
  const look = { tool: 'look', source: 'app', time }
  const durationMs = expect.any(Number)
  expect(told).toEqual([
    { type: 'tool-started', id: first!.id, callId: 'call-1', ...look },
    { type: 'tool-ended', id: first!.id, callId: 'call-1', ...look, durationMs, isError: false },
    { type: 'tool-started', id: second!.id, ...look },
    {
      type: 'tool-ended',
      id: second!.id,
      ...look,
      durationMs,
      isError: true,
      error: { type: 'tool-failed' },
    },
    { type: 'tool-started', id: third!.id, ...look, tool: 'change' },
    {
      type: 'tool-ended',
      id: third!.id,
      ...look,
      tool: 'change',
      durationMs,
      isError: true,
      withheld: 'denied',
    },
  ])
  expect(JSON.stringify(told)).not.toContain('kept-private')
})

test('signing in and out, and models that may not be what they were', async () => {
  await mirror.airlock.signIn('mirror', {
    option: 'key',
    ui: { form: async () => ({ key: 'mk-secret-12345' }) },
  })
  await mirror.airlock.signOut('mirror')
  const known = told.filter(({ type }) => type === 'signed-in' || type === 'signed-out')
  expect(known).toEqual([
    { type: 'signed-in', time, provider: 'mirror' },
    { type: 'signed-out', time, provider: 'mirror' },
  ])
  await expect
    .poll(() => told.filter(({ type }) => type === 'models-changed'))
    .toContainEqual({ type: 'models-changed', time, providers: ['mirror'] })
  expect(JSON.stringify(told)).not.toContain('mk-secret-12345')
})

describe('a hook that fails', () => {
  test.each([
    [
      'throws',
      () => {
        throw new Error('mine')
      },
    ],
    ['rejects', () => Promise.reject(new Error('mine'))],
  ])('and %s breaks nothing, is told on, and is logged once', async (_, fail) => {
    const lines: LogEntry[] = []
    let calls = 0
    await using broken = await mirrorAirlock({
      log: entry => lines.push(entry),
      onEvent: () => {
        calls++
        return fail()
      },
    })
    for (let time = 0; time < 2; time++) await broken.ask([{ type: 'stop', reason: 'end-turn' }]).result()
    expect(calls).toBeGreaterThanOrEqual(6)
    const warnings = lines.filter(({ level }) => level === 'warn')
    expect(warnings).toMatchObject([{ message: expect.stringMatching(/onEvent.*mine/) }])
  })

  test('that is none is refused', async () => {
    await expect(mirrorAirlock({ onEvent: 'no' as never })).rejects.toThrow(InvalidOptionError)
  })
})
