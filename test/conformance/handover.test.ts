import { afterAll, beforeAll, expect, test } from 'vitest'
import type { MessagePart, RequestMessage } from '../../host/contract/request.ts'
import { answering, type Bench, startBench } from './bench.ts'
import { SUBJECTS } from './extensions.ts'
import type { Piece } from './services/service.ts'

/** The five big ones, and one whose ids of calls have a shape of their own. */
const PROVIDERS = ['anthropic', 'openai', 'google-ai', 'openrouter', 'ollama', 'mistral'] as const
type Provider = (typeof PROVIDERS)[number]

/** Ids as services give them; some are no ids to others. */
const IDS: Readonly<Record<Provider, [string, string]>> = {
  anthropic: ['toolu_01AbCdEfGhIjKlMnOpQrStUv', 'toolu_01WxYz'],
  openai: [`call_${'x'.repeat(40)}`, 'call_b'],
  'google-ai': ['f3k9a1x8', 'b2'],
  // Of models that OpenRouter passes on.
  openrouter: ['functions.look:0', 'functions.look:1'],
  ollama: ['call_a1', 'call_b2'],
  mistral: ['D681PevKs', 'aB3dE6gH9'],
}

const tools = [{ name: 'look', inputSchema: { type: 'object', properties: { id: { type: 'number' } } } }]
const BIG = '{"id":12345678901234567890}'
const base64 = (text: string) => Buffer.from(text).toString('base64')
const opaqueOf = (provider: Provider) =>
  ['sign', 'hide', 'call'].map(what => base64(`${what} of ${provider}, nobody else's`))

const resources = new AsyncDisposableStack()
const benches = new Map<Provider, Bench>()
const histories = new Map<Provider, RequestMessage[]>()

beforeAll(async () => {
  await Promise.all(
    PROVIDERS.map(async provider => {
      const subject = SUBJECTS.find(one => one.provider === provider)!
      const bench = resources.use(await startBench(subject, { computeMs: 60_000 }))
      benches.set(provider, bench)
      histories.set(provider, await converse(provider, bench))
    }),
  )
}, 180_000)

afterAll(() => resources.disposeAsync())

/** What a provider left behind: it thought, aloud and in secret, called two tools, and got their results. */
async function converse(provider: Provider, bench: Bench): Promise<RequestMessage[]> {
  const [signature, redacted, onCall] = opaqueOf(provider) as [string, string, string]
  const [first, second] = IDS[provider]
  const pieces: Piece[] = [
    { thinking: 'It is large.', signature },
    { redacted },
    { text: 'Let me look.' },
    { call: { id: first, name: 'look', input: BIG, signature: onCall } },
    { call: { id: second, name: 'look', input: '{"id":2}' } },
  ]
  const messages: RequestMessage[] = [{ role: 'user', content: 'How large is it?' }]
  const { result, error } = await bench.ask(
    { messages, tools },
    answering(bench.subject, { pieces, stop: 'tool-use' }),
  )
  if (!result) throw error
  const results = result.toolUses.map(
    ({ id, name }): MessagePart => ({
      type: 'tool-result',
      toolUseId: id,
      toolName: name,
      content: `as large as ${id}`,
    }),
  )
  return [
    ...messages,
    { role: 'assistant', content: result.parts },
    { role: 'user', content: results },
    { role: 'assistant', content: 'Quite large.' },
    { role: 'user', content: [{ type: 'text', text: 'Sure?' }] },
  ]
}

const pairs = PROVIDERS.flatMap(from => PROVIDERS.map(to => ({ from, to })))

test.each(pairs.filter(({ from, to }) => from !== to))('from $from to $to', async ({ from, to }) => {
  const bench = benches.get(to)!
  const messages = histories.get(from)!
  const answer = answering(bench.subject, { pieces: [{ text: 'Yes.' }], stop: 'end-turn' })
  const seen = await bench.ask({ messages, tools }, answer)
  expect(seen.error).toBeUndefined()
  // Throws where the service's schema does not take the request.
  const received = seen.received()
  const body = seen.requests[0]!.body.toString()
  for (const secret of opaqueOf(from)) expect(body).not.toContain(secret)
  expect(received.calls.map(({ name }) => name)).toEqual(['look', 'look'])
  expect(new Set(received.calls.map(({ id }) => id)).size).toBe(2)
  expect(received.results.map(({ id }) => id)).toEqual(received.calls.map(({ id }) => id))
  const [first, second] = received.results.map(({ text }) => text)
  expect([first, second]).toEqual(IDS[from].map(id => `as large as ${id}`))
  expect(body).toMatch(/\{\\?"id\\?": ?12345678901234567890\}/)
  expect(body).toContain('Let me look.')
  expect(received.text).toContain('Sure?')
})

test.each(PROVIDERS)('%s gets back what is its own', async provider => {
  const bench = benches.get(provider)!
  const messages = histories.get(provider)!
  const answer = answering(bench.subject, { pieces: [{ text: 'Yes.' }], stop: 'end-turn' })
  const seen = await bench.ask({ messages, tools }, answer)
  expect(seen.error).toBeUndefined()
  const { opaque, calls } = seen.received()
  const own: Readonly<Record<Provider, number[]>> = {
    anthropic: [0, 1],
    openai: [0, 1],
    'google-ai': [0, 2],
    openrouter: [0, 1],
    ollama: [],
    mistral: [],
  }
  const secrets = opaqueOf(provider)
  expect(opaque).toEqual(own[provider].map(at => secrets[at]))
  expect(calls.map(({ id }) => id)).toEqual(IDS[provider])
})
