import assert from 'node:assert/strict'
import { answering, type BenchRequest } from './bench.ts'
import { checkSeen } from './checks.ts'
import { type Behaviour, call, exchange, isRefused, look, perhaps, said, text, user } from './exchange.ts'
import { PDF, PNG } from './media.ts'
import type { ScriptedAnswer } from './services/service.ts'
import { TOOL_BEHAVIOURS } from './tool-behaviours.ts'

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
      if (await isRefused(bench, 'image', { messages })) return
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
  ...TOOL_BEHAVIOURS,
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
      const { subject } = bench
      if (!subject.dialect.writesCallsInPieces || subject.lacks.tool) return
      // A call that was cut off is told as such, and is none to run.
      const cut: ScriptedAnswer = { pieces: [call('abc123DEF', 'look', '{"id": 1')], stop: 'max-tokens' }
      const messages = [user(text('Look.'))]
      const { result } = await bench.ask({ messages, tools: [look], maxTokens: 64 }, answering(subject, cut))
      assert.deepEqual([result?.stopReason, result?.toolUses], ['max-tokens', []])
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
      // A megabyte of few tokens, so that it fits into each model's window.
      const words = `All work and no play. 中 ${' '.repeat(400)}`.repeat(2_400)
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
      const tools = bench.subject.lacks.tool ? [] : [look]
      return perhaps(bench, 'cache', { messages, tools }, seen => {
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
