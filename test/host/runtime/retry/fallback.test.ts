import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Airlock, ProviderError } from '../../../../host/index.ts'
import { rememberMaker, withoutForeignParts } from '../../../../host/runtime/opaque-parts.ts'
import type { Script } from '../../../servers/scripted.ts'
import { openaiCompatible } from '../../../support/home.ts'
import { mirrorExtension } from '../../../systems/mirror-extension.ts'
import { answer, limited, messages, modelOf, read, refusal, setUp, text } from './setting.ts'

const [a, b] = ['openai-compatible/a', 'openai-compatible/b'] as const

/** The first model does what `failure` says, all others answer. */
function failing(failure: Script) {
  return setUp(request => (modelOf(request) === 'a' ? failure : answer(`by ${modelOf(request)}`)), {}, [
    'a',
    'b',
  ])
}

describe('the next model is asked', () => {
  test.each<[what: string, failure: Script]>([
    ['a limit', refusal(429, { 'retry-after-ms': '1' })],
    ['a limit for hours', refusal(429, { 'retry-after': '10800' })],
    ['a limit for as long as a list does not wait', refusal(429, { 'retry-after': '30' })],
    ['a quota', refusal(429, {}, { code: 'insufficient_quota' })],
    ['overload', refusal(503, { 'retry-after-ms': '1' })],
    ['a fault of the service', refusal(500, { 'retry-after-ms': '1' })],
    ['a torn connection', { body: [], ending: 'destroy' }],
    ['a model that there is not', refusal(404, {}, { code: 'model_not_found', message: 'No such model' })],
    ['a wrong key', refusal(401)],
    ['a forbidden model', refusal(403)],
    ['a request that is too long', refusal(400, {}, { code: 'context_length_exceeded' })],
  ])('after %s, and the result says who answered', async (_, failure) => {
    const { airlock, asked } = await failing(failure)
    const completion = airlock.complete({ model: [a, b], messages }, { retry: { maxWaitMs: 1_000 } })
    expect((await read(completion)).events[0]).toEqual({ type: 'started' })
    expect(await completion.result()).toMatchObject({
      text: 'by b',
      reference: b,
      provider: 'openai-compatible',
    })
    expect(modelOf(asked.at(-1)!)).toBe('b')
  })

  test.each([
    ['no provider', 'nowhere/a'],
    ['no model name', 'a'],
  ])('after a name that nothing answers to: %s', async (_, unknown) => {
    const { airlock, asked } = await failing(answer())
    expect(await airlock.complete({ model: [unknown, b], messages }).result()).toMatchObject({ text: 'by b' })
    expect(asked).toHaveLength(1)
  })

  test('after an extension that cannot start', async () => {
    const { airlock } = await failing(answer())
    await loadBroken(airlock)
    const { reference } = await airlock.complete({ model: ['broken/m', b], messages }).result()
    expect(reference).toBe(b)
  })

  test('of another provider, after what its own extension cannot do', async () => {
    const { airlock } = await failing(answer())
    await airlock.load(await mirrorExtension())
    const fail = { kind: 'unsupported', message: 'Takes no such thing' }
    const model = ['mirror/large', b]
    const result = await airlock.complete({ model, messages, providerOptions: { fail } }).result()
    expect(result).toMatchObject({ text: 'by b', reference: b })
  })

  test('a list waits little: one more attempt, then the next', async () => {
    const { airlock, asked } = await failing(limited)
    await airlock.complete({ model: [a, b], messages }).result()
    expect(asked.map(modelOf)).toEqual(['a', 'a', 'b'])
  })
})

describe('the next model is not asked', () => {
  test.each<[what: string, failure: Script, kind: string]>([
    ['an invalid request', refusal(400), 'invalid-request'],
    ['a filter', refusal(400, {}, { code: 'content_filter' }), 'content-filtered'],
    ['an answer that broke off', { body: [text('Two ')], ending: 'destroy' }, 'network'],
  ])('after %s', async (_, failure, kind) => {
    const { airlock, asked } = await failing(failure)
    const error = await airlock
      .complete({ model: [a, b], messages })
      .result()
      .catch(error => error)
    expect(error).toBeInstanceOf(ProviderError)
    expect(error).toMatchObject({ kind, model: 'a' })
    expect(asked).toHaveLength(1)
  })

  test('after an abort', async () => {
    const { airlock, asked } = await failing('never')
    const controller = new AbortController()
    const completion = airlock.complete({ model: [a, b], messages }, { signal: controller.signal })
    void completion.result().catch(() => {})
    await expect.poll(() => asked.length).toBe(1)
    const reason = new Error('enough')
    controller.abort(reason)
    await expect(completion.result()).rejects.toBe(reason)
    expect(asked).toHaveLength(1)
  })
})

describe('the rule of the caller', () => {
  test('decides in the place of the default, and is told from which model to which', async () => {
    const { airlock } = await failing(refusal(400))
    const steps: unknown[] = []
    const completion = airlock.complete(
      { model: [a, b], messages },
      {
        fallback(error, step) {
          steps.push({ kind: (error as ProviderError).kind, ...step })
          return true
        },
      },
    )
    expect((await completion.result()).text).toBe('by b')
    expect(steps).toEqual([{ kind: 'invalid-request', from: a, to: b }])
  })

  test('may keep to the first', async () => {
    const { airlock, asked } = await failing(limited)
    const completion = airlock.complete({ model: [a, b], messages }, { fallback: () => false })
    await expect(completion.result()).rejects.toMatchObject({ kind: 'rate-limited', model: 'a' })
    expect(asked.map(modelOf)).toEqual(['a', 'a'])
  })

  test('that throws ends it with what it threw', async () => {
    const { airlock } = await failing(limited)
    const fault = new Error('my own fault')
    const fallback = () => {
      throw fault
    }
    await expect(airlock.complete({ model: [a, b], messages }, { fallback }).result()).rejects.toBe(fault)
  })
})

test('where all fail, the last failure is told, with all attempts', async () => {
  const { airlock } = await setUp(request => (modelOf(request) === 'a' ? refusal(401) : limited), {}, [
    'a',
    'b',
  ])
  const completion = airlock.complete({ model: [a, b], messages })
  await expect(completion.result()).rejects.toMatchObject({ kind: 'rate-limited', model: 'b', attempts: 4 })
})

test('an empty list is refused', async () => {
  const { airlock } = await setUp(answer())
  await expect(airlock.complete({ model: [], messages }).result()).rejects.toMatchObject({
    code: 'invalid-request',
    path: 'model',
  })
})

describe('withoutForeignParts', () => {
  const parts = [
    { type: 'thinking' as const, text: 'Hm.', signature: 'signed' },
    { type: 'redacted-thinking' as const, data: 'hidden' },
    { type: 'text' as const, text: 'Look.' },
    { type: 'reasoning-details' as const, data: '{}' },
    { type: 'tool-use' as const, id: '1', name: 'look', input: '{}', thoughtSignature: 'signed' },
  ]
  const bare = [
    { type: 'thinking', text: 'Hm.' },
    { type: 'text', text: 'Look.' },
    { type: 'tool-use', id: '1', name: 'look', input: '{}' },
  ]
  const history = (content: typeof parts) => ({ messages: [{ role: 'assistant' as const, content }] })

  test('what a provider made goes to no other', () => {
    const own = parts.map(part => ({ ...part }))
    rememberMaker(own, 'acme')
    const request = history(own)
    expect(withoutForeignParts(structuredClone(request), request, 'acme')).toEqual(request)
    expect(withoutForeignParts(structuredClone(request), request, 'other').messages[0]?.content).toEqual(bare)
  })

  test('what nobody is known to have made goes as it is: extensions know their own', () => {
    const request = history(parts)
    expect(withoutForeignParts(structuredClone(request), request, 'other')).toEqual(request)
  })
})

/** An extension called `broken`, whose component is none. */
async function loadBroken(airlock: Airlock): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'airlock-broken-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await cp(openaiCompatible, folder, { recursive: true, filter: source => !source.includes('node_modules') })
  const file = join(folder, 'extension.json')
  const manifest = JSON.parse(await readFile(file, 'utf8'))
  const component = join(folder, manifest.component)
  await writeFile(
    file,
    JSON.stringify({ ...manifest, id: 'broken', providers: [{ id: 'broken', name: 'Broken' }] }),
  )
  await writeFile(component, Buffer.from('0061736d0d0001004141', 'hex'))
  await airlock.load(folder)
}
