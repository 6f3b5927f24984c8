import assert from 'node:assert/strict'
import type { MessagePart } from '../../host/contract/request.ts'
import { answering, type Bench, type BenchRequest, type Seen } from './bench.ts'
import { checkRefused, checkSeen } from './checks.ts'
import { PDF, PNG } from './media.ts'
import type { Piece, ScriptedAnswer } from './services/service.ts'

/** One row of the table: what is asked, what is answered, and what both sides must see. */
export interface Behaviour {
  id: string
  title: string
  check(bench: Bench): Promise<void>
}

const BIG = '{"id": 12345678901234567890, "of": "größe"}'
const look = {
  name: 'look',
  description: 'Looks at a thing.',
  inputSchema: {
    type: 'object',
    properties: { id: { type: 'number' }, of: { type: 'string' } },
    required: ['id'],
  },
}
const wait = { name: 'wait', description: 'Waits.', inputSchema: { type: 'object', properties: {} } }
const said: ScriptedAnswer = { pieces: [{ text: 'Hello there.' }], stop: 'end-turn' }
const call = (id: string, name: string, input: string): Piece => ({ call: { id, name, input } })
const user = (...content: MessagePart[]): BenchRequest['messages'][number] => ({ role: 'user', content })
const text = (words: string): MessagePart => ({ type: 'text', text: words })

/** Asks, has it answered, and checks what the caller saw. */
async function exchange(
  bench: Bench,
  request: Partial<BenchRequest>,
  answer: ScriptedAnswer = said,
): Promise<Seen> {
  const messages = request.messages ?? [user(text('Hi.'))]
  const seen = await bench.ask({ ...request, messages }, answering(bench.subject, answer))
  checkSeen(seen, answer, bench.subject.dialect)
  return seen
}

/** For what a service may not have: its request is refused, or goes out without. */
async function perhaps(
  bench: Bench,
  id: string,
  request: Partial<BenchRequest>,
  check: (seen: Seen) => void,
  answer: ScriptedAnswer = said,
): Promise<void> {
  const lack = bench.subject.lacks[id]
  if (lack?.outcome === 'refused') {
    const messages = request.messages ?? [user(text('Hi.'))]
    checkRefused(await bench.ask({ ...request, messages }, answering(bench.subject, answer)))
    return
  }
  const seen = await exchange(bench, request, answer)
  if (lack === undefined) check(seen)
  else seen.received()
}

export const BEHAVIOURS: readonly Behaviour[] = [
  {
    id: 'plain',
    title: 'plain',
    async check(bench) {
      const seen = await exchange(bench, { messages: [user(text('What is an airlock?'))] })
      const received = seen.received()
      assert.ok(bench.isSignedIn(seen.requests[0]!), 'the request does not say who asks')
      assert.match(received.text, /^What is an airlock\?/)
      assert.deepEqual([received.system, received.tools, received.stops], ['', [], []])
      const head = seen.events.find(event => event.type === 'response-metadata')
      if (head) assert.equal(head.model, 'the-model')
    },
  },
  {
    id: 'system',
    title: 'system prompt',
    async check(bench) {
      const messages: BenchRequest['messages'] = [{ role: 'system', content: 'Be brief.' }, user(text('Hi.'))]
      const received = (await exchange(bench, { messages })).received()
      assert.equal(received.system.trim(), 'Be brief.')
      assert.doesNotMatch(received.text, /brief/)
    },
  },
  {
    id: 'image',
    title: 'image',
    async check(bench) {
      const image = { type: 'image' as const, source: PNG, mediaType: 'image/jpeg' }
      const messages = [user(text('What is this?'), image)]
      const [got] = (await exchange(bench, { messages })).received().images
      assert.ok(got)
      assert.equal(got.data, PNG)
      // What the bytes are, not what they were called.
      assert.match(got.mediaType ?? 'image/png', /^image\/png$/)
    },
  },
  {
    id: 'file',
    title: 'file',
    check(bench) {
      const file = { type: 'file' as const, source: PDF, mediaType: 'application/pdf', name: 'a b.pdf' }
      const messages = [user(text('Read this.'), file)]
      return perhaps(bench, 'file', { messages }, seen => {
        assert.deepEqual(seen.received().files, [{ mediaType: 'application/pdf', data: PDF }])
      })
    },
  },
  {
    id: 'tool',
    title: 'one tool',
    async check(bench) {
      const request = { tools: [look], messages: [user(text('Look.'))] }
      const first = await exchange(bench, request, {
        pieces: [{ text: 'I look.' }, call('abc123DEF', 'look', BIG)],
        stop: 'tool-use',
      })
      assert.deepEqual(first.received().tools, ['look'])
      const received = await answerCalls(bench, request, first)
      assert.match(received.results[0]!.text, /result of abc123DEF/)
    },
  },
  {
    id: 'parallel',
    title: 'parallel tools',
    async check(bench) {
      const request = { tools: [look, wait], messages: [user(text('Look and wait.'))] }
      const first = await exchange(bench, request, {
        pieces: [
          call('idNumber1', 'look', '{"id":1}'),
          call('idNumber2', 'look', '{"id":2}'),
          call('idNumber3', 'wait', '{}'),
        ],
        stop: 'tool-use',
      })
      const received = await answerCalls(bench, request, first)
      assert.deepEqual(
        received.results.map(({ text: words }) => /result of (\w+)/.exec(words)?.[1]),
        ['idNumber1', 'idNumber2', 'idNumber3'],
      )
    },
  },
  {
    id: 'forced-tool',
    title: 'forced tool',
    async check(bench) {
      const answer: ScriptedAnswer = { pieces: [call('abc123DEF', 'wait', '{}')], stop: 'tool-use' }
      const request = { tools: [look, wait] }
      await perhaps(
        bench,
        'forced-tool',
        { ...request, toolChoice: { tool: 'wait' } },
        seen => assert.deepEqual(seen.received().choice, { tool: 'wait' }),
        answer,
      )
      await perhaps(
        bench,
        'forced-tool',
        { ...request, toolChoice: 'any' },
        seen => assert.equal(seen.received().choice, 'any'),
        answer,
      )
    },
  },
  {
    id: 'no-tools',
    title: 'no tools',
    check: bench =>
      perhaps(bench, 'no-tools', { tools: [look], toolChoice: 'none' }, seen => {
        const { choice, tools } = seen.received()
        assert.ok(choice === 'none' || tools.length === 0, `choice ${String(choice)}, tools ${tools.join()}`)
      }),
  },
  {
    id: 'structured',
    title: 'structured output',
    async check(bench) {
      const schema = {
        type: 'object',
        properties: { colour_name: { type: 'string' } },
        required: ['colour_name'],
        additionalProperties: false,
      }
      const answer: ScriptedAnswer = { pieces: [{ text: '{"colour_name": "red"}' }], stop: 'end-turn' }
      const responseFormat = { name: 'a colour', schema, strict: true }
      const received = (await exchange(bench, { responseFormat }, answer)).received()
      const isInWords = bench.subject.lacks.structured !== undefined
      const held = isInWords ? received.system : (JSON.stringify(received.schema) ?? 'no schema')
      assert.match(held, /colour_name/)
    },
  },
  {
    id: 'thinking',
    title: 'thinking',
    async check(bench) {
      const answer: ScriptedAnswer = {
        pieces: [{ thinking: 'Let me think about this.' }, { text: 'Yes.' }],
        stop: 'end-turn',
      }
      const seen = await exchange(bench, { reasoningEffort: 'high' }, answer)
      assert.ok(seen.received().thinking, 'the service is not asked to think')
      // What was thought is part of the history, and the service takes it back.
      const messages = [
        user(text('Hi.')),
        { role: 'assistant' as const, content: seen.result!.parts },
        user(text('And?')),
      ]
      await exchange(bench, { reasoningEffort: 'high', messages }).then(next => next.received())
    },
  },
  {
    id: 'stop-sequence',
    title: 'stop sequence',
    check: bench =>
      perhaps(
        bench,
        'stop-sequence',
        { stopSequences: ['END', 'FIN'] },
        seen => assert.deepEqual(seen.received().stops, ['END', 'FIN']),
        { ...said, stop: 'stop-sequence' },
      ),
  },
  {
    id: 'max-tokens',
    title: 'max tokens',
    async check(bench) {
      const answer: ScriptedAnswer = { pieces: [{ text: 'It is a' }], stop: 'max-tokens' }
      const seen = await exchange(bench, { maxTokens: 64 }, answer)
      assert.equal(seen.received().maxTokens, 64)
    },
  },
  {
    id: 'refusal',
    title: 'refusal',
    check: bench =>
      perhaps(bench, 'refusal', {}, () => {}, {
        pieces: [{ text: 'I cannot.' }],
        stop: bench.subject.lacks.refusal ? 'end-turn' : 'refusal',
      }),
  },
  {
    id: 'filter',
    title: 'filter',
    check: bench =>
      perhaps(bench, 'filter', {}, () => {}, {
        pieces: [{ text: 'Once' }],
        stop: bench.subject.lacks.filter ? 'end-turn' : 'content-filter',
      }),
  },
  {
    id: 'unicode',
    title: 'unicode',
    async check(bench) {
      const words = 'Zoë 👩‍👩‍👧 中文 \u2028 "\\ \u0007 🎉'
      const answer: ScriptedAnswer = { pieces: [{ thinking: words }, { text: words }], stop: 'end-turn' }
      // Each byte comes by itself, so characters are cut at every place.
      const bytes = bench.subject.dialect
        .stream(answer)
        .flatMap(frame => [...Buffer.from(frame)].map(byte => Uint8Array.of(byte)))
      const messages = [user(text(`${words} half: \ud83d.`))]
      const seen = await bench.ask(
        { messages },
        answering(bench.subject, answer, () => bytes),
      )
      checkSeen(seen, answer, bench.subject.dialect)
      assert.ok(seen.received().text.startsWith(`${words} half: \ufffd.`), seen.received().text)
    },
  },
  {
    id: 'huge',
    title: 'huge input',
    async check(bench) {
      const words = 'All work and no play. 中 '.repeat(40_000)
      const answer: ScriptedAnswer = { pieces: [{ text: words.slice(0, 500_000) }], stop: 'end-turn' }
      const received = (await exchange(bench, { messages: [user(text(words))] }, answer)).received()
      assert.ok(received.text.startsWith(words), `${received.text.length} characters arrived`)
    },
  },
  {
    id: 'empty',
    title: 'empty answer',
    async check(bench) {
      const seen = await exchange(bench, {}, { pieces: [], stop: 'end-turn' })
      assert.deepEqual(seen.result!.parts, [])
    },
  },
  {
    id: 'cache',
    title: 'cache anchors',
    check(bench) {
      const messages: BenchRequest['messages'] = [
        { role: 'system', content: 'Be brief.', cache: true },
        { ...user(text('Hi.')), cache: true },
      ]
      return perhaps(bench, 'cache', { messages, tools: [look] }, seen => {
        assert.ok(seen.received().anchors >= 2, `${seen.received().anchors} anchors`)
      })
    },
  },
  {
    id: 'usage',
    title: 'usage',
    async check(bench) {
      const usage = { input: 100, output: 50, cacheRead: 30, reasoning: 20 }
      await exchange(bench, {}, { ...said, usage })
    },
  },
]

/** Sends the results of an answer's calls, the last one first; the service must find each with its call. */
async function answerCalls(bench: Bench, request: BenchRequest, first: Seen) {
  const { parts, toolUses } = first.result!
  const results = toolUses.map(
    ({ id, name }): MessagePart => ({
      type: 'tool-result',
      toolUseId: id,
      toolName: name,
      content: `result of ${id}`,
    }),
  )
  const messages = [
    ...request.messages,
    { role: 'assistant' as const, content: parts },
    user(...results.toReversed()),
    user(text('So?')),
  ]
  const received = (await exchange(bench, { ...request, messages })).received()
  assert.deepEqual(
    received.results.map(({ id }) => id),
    received.calls.map(({ id }) => id),
  )
  assert.deepEqual(
    received.calls.map(({ name }) => name),
    toolUses.map(({ name }) => name),
  )
  return received
}
