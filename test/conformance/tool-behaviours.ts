import assert from 'node:assert/strict'
import type { MessagePart } from '../../host/contract/request.ts'
import type { Bench, BenchRequest, Seen } from './bench.ts'
import { type Behaviour, call, exchange, isRefused, look, perhaps, text, user } from './exchange.ts'
import type { ScriptedAnswer } from './services/service.ts'

const BIG = '{"id": 12345678901234567890, "of": "größe"}'
const wait = { name: 'wait', description: 'Waits.', inputSchema: { type: 'object', properties: {} } }

export const TOOL_BEHAVIOURS: readonly Behaviour[] = [
  {
    id: 'tool',
    title: 'one tool',
    async check(bench) {
      const request = { tools: [look], messages: [user(text('Look.'))] }
      if (await isRefused(bench, 'tool', request)) return
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
      if (await isRefused(bench, 'parallel', request)) return
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
      const { lacks } = bench.subject
      await perhaps(
        bench,
        lacks['any-tool'] ? 'any-tool' : 'forced-tool',
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
