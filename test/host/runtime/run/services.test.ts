import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { defineTool } from '../../../../host/index.ts'
import { call, calling, look, type Stage, said, startStage, user } from './stage.ts'

/** One for each wire format: what a run leaves behind must be what its service takes. */
const PROVIDERS = ['openai', 'google-ai', 'amazon-bedrock', 'ollama', 'openai-compatible'] as const

describe.each(PROVIDERS)('a run against %s', provider => {
  let stage: Stage
  beforeAll(async () => {
    stage = await startStage(provider)
  }, 120_000)
  afterAll(() => stage?.[Symbol.asyncDispose]())

  const ask = (tools: Parameters<Stage['airlock']['run']>[0]['tools']) => ({
    model: stage.model,
    messages: [user('How large?')],
    tools,
  })

  test('each call has its result, whatever became of it, and the service takes them', async () => {
    const quiet = defineTool({ ...look, id: 'quiet', invoke: () => '' })
    stage.script(
      calling(
        { text: 'Let me look.' },
        call('call_a', 'look', '{"id":1}'),
        call('call_b', 'nothing_like_it', '{}'),
        call('call_c', 'look', '{"id":"x"}'),
        call('call_d', 'quiet', '{}'),
      ),
      calling(call('call_e', 'look', '{"id":2}')),
      said('Large.'),
    )
    const result = await stage.airlock.run(ask([look, quiet])).result()
    expect(result.text).toBe('Large.')
    expect(result.steps.map(({ results }) => results.map(({ outcome }) => outcome))).toEqual([
      ['ran', 'unknown-tool', 'invalid-arguments', 'ran'],
      ['ran'],
      [],
    ])
    const received = await stage.accepts(result.messages)
    expect(received.results.map(({ text }) => text)).toEqual([
      expect.stringContaining('saw'),
      expect.stringContaining('There is no tool'),
      expect.stringContaining('id must be a number'),
      expect.stringContaining('(no output)'),
      expect.stringContaining('saw'),
    ])
  })

  test('aborted inside a tool, the history can go on', async () => {
    const hang = defineTool({ ...look, id: 'hang', invoke: () => new Promise<string>(() => {}) })
    stage.script(calling(call('call_a', 'look', '{"id":1}'), call('call_b', 'hang', '{}')))
    const run = stage.airlock.run(ask([look, hang]))
    for await (const event of run) if (event.type === 'tool-result') break
    await expect(run.result()).rejects.toMatchObject({ name: 'AbortError' })
    const received = await stage.accepts(run.messages)
    expect(received.results).toHaveLength(2)
    expect(received.results[1]?.text).toContain('cancelled')
  })
})
