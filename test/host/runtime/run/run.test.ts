import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import * as z from 'zod'
import { defineTool, type RunEvent, type RunRequest } from '../../../../host/index.ts'
import type { Script } from '../../../servers/scripted.ts'
import { breakingOff, call, calling, look, type Stage, said, startStage, user } from './stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await startStage('anthropic')
}, 60_000)
afterAll(() => stage[Symbol.asyncDispose]())

const ask = (request: Partial<RunRequest> = {}): RunRequest => ({
  model: stage.model,
  messages: [user('How large is it?')],
  tools: [look],
  ...request,
})

describe('run', () => {
  test('completes, runs the call, tells the model, and ends where it calls no more', async () => {
    stage.script(
      {
        ...calling({ text: 'Let me look.' }, call('c1', 'look', '{"id":7}')),
        usage: { input: 100, output: 10 },
      },
      { ...said('Seven metres.'), usage: { input: 150, output: 5 } },
    )
    const run = stage.airlock.run(ask())
    const events: RunEvent[] = []
    for await (const event of run) events.push(event)
    const result = await run.result()

    expect(
      events.map(({ step, type }) => `${step} ${type}`).filter(line => !/text|delta|meta/.test(line)),
    ).toEqual([
      '1 started',
      '1 tool-use',
      '1 usage',
      '1 stop',
      '1 tool-running',
      '1 tool-result',
      '2 started',
      '2 usage',
      '2 stop',
    ])
    expect(events).toContainEqual({
      step: 1,
      type: 'tool-result',
      id: 'c1',
      name: 'look',
      tool: 'look',
      outcome: 'ran',
      result: expect.objectContaining({ isError: false }),
    })
    expect(result).toMatchObject({ text: 'Seven metres.', stopReason: 'end-turn', ended: 'no-calls' })
    expect(result.usage).toMatchObject({ inputTokens: 250, outputTokens: 15 })
    expect(result.steps.map(({ step, results }) => [step, results.length])).toEqual([
      [1, 1],
      [2, 0],
    ])
    expect(result.messages).toMatchObject([
      { role: 'user', content: 'How large is it?' },
      { role: 'assistant', content: [{ type: 'text' }, { type: 'tool-use', id: 'c1', name: 'look' }] },
      {
        role: 'user',
        content: [
          { type: 'tool-result', toolUseId: 'c1', toolName: 'look', isError: false, content: 'saw {"id":7}' },
        ],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'Seven metres.' }] },
    ])
    expect(run.messages).toEqual(result.messages)
    expect(stage.received(0).tools).toEqual(['look'])
    expect(stage.received(1)).toMatchObject({
      calls: [{ id: 'c1', name: 'look' }],
      results: [{ id: 'c1', text: 'saw {"id":7}' }],
    })
    await stage.accepts(result.messages)
  })

  test('result() alone is enough, and the caller’s messages stay as they were', async () => {
    stage.script(calling(call('c1', 'look', '{}')), said('Done.'))
    const messages = Object.freeze([Object.freeze(user('Go.'))]) as RunRequest['messages']
    expect((await stage.airlock.run(ask({ messages })).result()).text).toBe('Done.')
    expect(messages).toHaveLength(1)
  })

  test('one run goes on where the other ended', async () => {
    stage.script(
      calling(call('c1', 'look', '{}')),
      said('One.'),
      calling(call('c2', 'look', '{}')),
      said('Two.'),
    )
    const first = await stage.airlock.run(ask()).result()
    const second = await stage.airlock.run(ask({ messages: [...first.messages, user('More.')] })).result()
    expect(second.text).toBe('Two.')
    expect(stage.received(3).results.map(({ id }) => id)).toEqual(['c1', 'c2'])
  })
})

describe('what goes wrong with a call is for the model to read, and the service takes the history', () => {
  const boom = defineTool({ ...look, invoke: () => Promise.reject(new Error('disk full')) })
  const nothing = defineTool({ ...look, invoke: () => undefined as unknown as string })
  const writing = { ...look, readOnly: false }

  test.each<[string, Partial<RunRequest>, string, string, string, RegExp]>([
    ['an unknown tool', {}, 'lok', '{}', 'unknown-tool', /There is no tool "lok": did you mean "look"\?/],
    [
      'arguments that do not fit',
      {},
      'look',
      '{"id":"7"}',
      'invalid-arguments',
      /id must be a number.*call it again/,
    ],
    ['arguments that are no object', {}, 'look', '[1]', 'invalid-arguments', /must be an object/],
    ['broken JSON', {}, 'look', '{"id": 7', 'invalid-arguments', /not valid JSON/],
    ['a tool that throws', { tools: [boom] }, 'look', '{}', 'failed', /The tool "look" failed: disk full/],
    ['a tool that returns nothing', { tools: [nothing] }, 'look', '{}', 'failed', /returned undefined/],
    ['nobody to ask', { tools: [writing] }, 'look', '{}', 'denied', /"look" was not run.*toolPolicy/],
  ])('%s', async (_, request, name, input, outcome, told) => {
    stage.script(calling(call('c1', name, input)), said('I see.'))
    const result = await stage.airlock.run(ask(request)).result()
    expect(result).toMatchObject({ text: 'I see.', ended: 'no-calls' })
    expect(result.steps[0]?.results).toMatchObject([{ id: 'c1', name, outcome, result: { isError: true } }])
    expect(stage.received(1).results).toMatchObject([{ id: 'c1', text: expect.stringMatching(told) }])
    await stage.accepts(result.messages)
  })

  test('a registered tool that was not offered is unknown', async () => {
    const invoke = vi.fn(() => '')
    using _secret = stage.airlock.tools.register('secret', { description: 'd', readOnly: true, invoke })
    stage.script(calling(call('c1', 'secret', '{}')), said('I see.'))
    const result = await stage.airlock.run(ask()).result()
    expect(result.steps[0]?.results).toMatchObject([{ outcome: 'unknown-tool' }])
    expect(invoke).not.toHaveBeenCalled()
  })

  test('with repair, what was likely meant is run', async () => {
    stage.script(calling(call('c1', 'look', '{"id":"7"}')), said('I see.'))
    const result = await stage.airlock.run(ask({ repair: true })).result()
    expect(result.steps[0]?.results).toMatchObject([{ outcome: 'ran' }])
    expect(stage.received(1).results[0]?.text).toBe('saw {"id":7}')
  })

  test('skipped is no error', async () => {
    stage.script(calling(call('c1', 'look', '{}')), said('I see.'))
    const run = stage.airlock.run(ask({ tools: [writing] }), { confirmTool: () => 'skip' })
    expect((await run.result()).steps[0]?.results).toMatchObject([
      { outcome: 'skipped', result: { isError: false, withheld: 'skipped' } },
    ])
  })
})

describe('an answer that ends too early', () => {
  test('inside a call: reported as cut off, nothing is run, and nothing is tried again', async () => {
    const invoke = vi.fn(() => '')
    stage.script({ pieces: [call('c1', 'look', '{}'), call('c2', 'look', '{"id": 1')], stop: 'max-tokens' })
    const run = stage.airlock.run(ask({ tools: [{ ...look, invoke }] }))
    const result = await run.result()
    expect(result).toMatchObject({ ended: 'cut-off', stopReason: 'max-tokens' })
    expect(result.steps[0]?.results.map(({ id, outcome }) => [id, outcome])).toEqual([
      ['c1', 'cut-off'],
      ['c2', 'cut-off'],
    ])
    expect(invoke).not.toHaveBeenCalled()
    expect(stage.requests).toHaveLength(1)
    expect((await stage.accepts(result.messages)).results[1]?.text).toMatch(/cut off/)
  })

  test('behind whole calls: they are run', async () => {
    stage.script({ pieces: [call('c1', 'look', '{}')], stop: 'max-tokens' }, said('Fine.'))
    expect((await stage.airlock.run(ask()).result()).ended).toBe('no-calls')
  })

  test('in a refusal: its calls are not run', async () => {
    const invoke = vi.fn(() => '')
    stage.script({ pieces: [{ text: 'I will' }, call('c1', 'look', '{}')], stop: 'refusal' })
    const result = await stage.airlock.run(ask({ tools: [{ ...look, invoke }] })).result()
    expect(result).toMatchObject({ ended: 'cut-off', stopReason: 'refusal' })
    expect(result.steps[0]?.results).toMatchObject([{ outcome: 'withdrawn' }])
    expect(invoke).not.toHaveBeenCalled()
    await stage.accepts(result.messages)
  })

  test('in a thought: there is no answer to keep', async () => {
    stage.script({ pieces: [{ thinking: 'Hm', signature: 'c2ln' }], stop: 'max-tokens' })
    const result = await stage.airlock.run(ask()).result()
    expect(result).toMatchObject({ text: '', stopReason: 'max-tokens' })
    expect(result.messages).toHaveLength(1)
    await stage.accepts(result.messages)
  })
})

describe('parallel calls', () => {
  const three = calling(
    call('c1', 'look', '{"id":1}'),
    call('c2', 'look', '{"id":2}'),
    call('c3', 'look', '{"id":3}'),
  )
  /** Calls end in the reverse order, and only once `together` of them run. */
  const meeting = (together: number) => {
    const waiting: (() => void)[] = []
    const seen = { most: 0, running: 0 }
    const tool = defineTool({
      id: 'look',
      description: 'Looks',
      readOnly: true,
      inputSchema: z.object({ id: z.number() }),
      async invoke({ parameters: { id } }) {
        seen.most = Math.max(seen.most, ++seen.running)
        if (seen.running === together) for (const go of waiting.splice(0).reverse()) queueMicrotask(go)
        else if (together > 1) await new Promise<void>(resolve => waiting.push(resolve))
        seen.running--
        return `saw ${id}`
      },
    })
    return { tool, seen }
  }

  test('run at once; their results are one message, in the order of the calls', async () => {
    stage.script(three, said('Done.'))
    const { tool, seen } = meeting(3)
    const run = stage.airlock.run(ask({ tools: [tool] }))
    const finished: string[] = []
    for await (const event of run) if (event.type === 'tool-result') finished.push(event.id)
    expect(seen.most).toBe(3)
    expect(finished).not.toEqual(['c1', 'c2', 'c3'])
    const { messages, steps } = await run.result()
    expect(steps[0]?.results.map(({ id }) => id)).toEqual(['c1', 'c2', 'c3'])
    expect(messages).toHaveLength(4)
    expect(messages[2]?.content).toMatchObject(
      [1, 2, 3].map(id => ({ toolUseId: `c${id}`, content: `saw ${id}` })),
    )
    expect(stage.received(1).results.map(({ id }) => id)).toEqual(['c1', 'c2', 'c3'])
  })

  test.each<[string, Partial<RunRequest>]>([
    ['maxParallel', { maxParallel: 1 }],
    ['parallelToolCalls: false', { parallelToolCalls: false }],
  ])('%s bounds them', async (_, request) => {
    stage.script(three, said('Done.'))
    const { tool, seen } = meeting(1)
    await stage.airlock.run(ask({ ...request, tools: [tool] })).result()
    expect(seen.most).toBe(1)
  })

  test('one that fails leaves the others', async () => {
    stage.script(calling(call('c1', 'nope', '{}'), call('c2', 'look', '{"id":2}')), said('Done.'))
    const { steps } = await stage.airlock.run(ask()).result()
    expect(steps[0]?.results.map(({ outcome }) => outcome)).toEqual(['unknown-tool', 'ran'])
  })
})

describe('where a run ends', () => {
  const again = () => calling(call(`c${Math.random()}`, 'look', '{}'))

  test('at maxSteps, the last calls run', async () => {
    stage.script(again(), again(), again())
    const result = await stage.airlock.run(ask({ maxSteps: 2 })).result()
    expect(result).toMatchObject({ ended: 'max-steps', stopReason: 'tool-use' })
    expect(stage.requests).toHaveLength(2)
    expect(result.steps[1]?.results).toMatchObject([{ outcome: 'ran' }])
    await stage.accepts(result.messages)
  })

  test('where stopWhen says so', async () => {
    stage.script(again(), again(), again())
    const stopWhen = vi.fn<NonNullable<RunRequest['stopWhen']>>(async ({ step }, { usage }) => {
      expect(usage?.inputTokens).toBeGreaterThan(0)
      return step === 2
    })
    const result = await stage.airlock.run(ask({ stopWhen })).result()
    expect(result.ended).toBe('stop-when')
    expect(result.steps).toHaveLength(2)
  })

  test('a stopWhen that throws ends it with what it threw; the history stands', async () => {
    stage.script(again())
    const stopWhen = () => {
      throw new Error('mine')
    }
    const run = stage.airlock.run(ask({ stopWhen }))
    await expect(run.result()).rejects.toThrow('mine')
    expect(run.messages).toHaveLength(3)
    await stage.accepts(run.messages)
  })

  test('a forced call is forced once, else it would never end', async () => {
    stage.script(again(), said('Done.'))
    await stage.airlock.run(ask({ toolChoice: { tool: 'look' } })).result()
    expect([stage.received(0).choice, stage.received(1).choice]).toEqual([{ tool: 'look' }, 'auto'])
    stage.script(again(), said('Done.'))
    await stage.airlock.run(ask({ toolChoice: 'any' })).result()
    expect([stage.received(0).choice, stage.received(1).choice]).toEqual(['any', 'auto'])
  })

  test('"none" stays', async () => {
    stage.script(again(), said('Done.'))
    await stage.airlock.run(ask({ toolChoice: 'none' })).result()
    expect(stage.received(1).choice).toBe('none')
  })
})

describe('abort', () => {
  const hanging = defineTool({ ...look, id: 'hang', invoke: () => new Promise<string>(() => {}) })

  test('inside an answer: what was said stays, what was called is answered', async () => {
    stage.script(
      breakingOff('anthropic', calling({ text: 'Let me look.' }, call('c1', 'look', '{}')), 'hang'),
    )
    const controller = new AbortController()
    const run = stage.airlock.run(ask(), { signal: controller.signal })
    const reading = (async () => {
      for await (const { type } of run) if (type === 'tool-use') controller.abort('enough')
    })()
    await expect(reading).rejects.toBe('enough')
    await expect(run.result()).rejects.toBe('enough')
    expect(run.messages).toMatchObject([
      { role: 'user' },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Let me look.' },
          { type: 'tool-use', id: 'c1' },
        ],
      },
      {
        role: 'user',
        content: [{ type: 'tool-result', toolUseId: 'c1', isError: true, content: /cancelled/ }],
      },
    ])
    expect(await stage.requests[0]?.closed).toBe('client-gone')
    await stage.accepts(run.messages)
  })

  test('inside a thought: without its signature no service takes it back', async () => {
    stage.script(breakingOff('anthropic', { pieces: [{ thinking: 'Hm, well' }], stop: 'end-turn' }, 'hang'))
    const run = stage.airlock.run(ask())
    for await (const { type } of run) if (type === 'thinking') break
    await expect(run.result()).rejects.toMatchObject({ name: 'AbortError' })
    expect(run.messages).toHaveLength(1)
    await stage.accepts(run.messages)
  })

  test('inside a tool: what is done keeps its result, the rest is cancelled', async () => {
    stage.script(
      calling(call('c1', 'look', '{"id":1}'), call('c2', 'hang', '{}'), call('c3', 'look', '{"id":3}')),
    )
    const controller = new AbortController()
    const run = stage.airlock.run(ask({ tools: [look, hanging], maxParallel: 2 }), {
      signal: controller.signal,
    })
    let finished = 0
    const results: unknown[] = []
    const reading = (async () => {
      for await (const event of run) {
        if (event.type !== 'tool-result') continue
        results.push([event.id, event.outcome])
        if (++finished === 2) controller.abort(new Error('enough'))
      }
    })()
    await expect(reading).rejects.toThrow('enough')
    expect(results).toEqual([
      ['c1', 'ran'],
      ['c3', 'ran'],
      ['c2', 'cancelled'],
    ])
    expect(run.steps).toHaveLength(1)
    expect(run.usage?.inputTokens).toBeGreaterThan(0)
    const received = await stage.accepts(run.messages)
    expect(received.results).toMatchObject([
      { id: 'c1', text: 'saw {"id":1}' },
      { id: 'c2', text: expect.stringContaining('cancelled') },
      { id: 'c3', text: 'saw {"id":3}' },
    ])
  })

  test('while somebody is asked: cancelled, and whoever asks is told', async () => {
    stage.script(calling(call('c1', 'look', '{}')))
    const asked = Promise.withResolvers<AbortSignal>()
    const run = stage.airlock.run(ask({ tools: [{ ...look, readOnly: false }] }), {
      confirmTool({ signal }) {
        asked.resolve(signal)
        return new Promise<never>(() => {})
      },
    })
    const ended = run.result()
    const signal = await asked.promise
    run.cancel('enough')
    await expect(ended).rejects.toBe('enough')
    expect(signal.reason).toBe('enough')
    expect(run.steps[0]?.results).toMatchObject([{ outcome: 'cancelled' }])
    await stage.accepts(run.messages)
  })

  test('before it begins: nothing is sent', async () => {
    stage.script(said('Never.'))
    const run = stage.airlock.run(ask(), { signal: AbortSignal.abort('no') })
    await expect(run.result()).rejects.toBe('no')
    expect(stage.requests).toEqual([])
    expect(run.messages).toEqual([user('How large is it?')])
  })

  test('leaving the loop cancels, unless the result is wanted', async () => {
    stage.script(calling(call('c1', 'look', '{}')), said('Done.'))
    const wanted = stage.airlock.run(ask())
    const result = wanted.result()
    for await (const _ of wanted) break
    expect((await result).text).toBe('Done.')
    stage.script(breakingOff('anthropic', said('Let me think.'), 'hang'))
    const left = stage.airlock.run(ask())
    for await (const { type } of left) if (type === 'text') break
    expect(await stage.requests[0]?.closed).toBe('client-gone')
  })
})

describe('a step that fails', () => {
  const failing: Script = {
    status: 400,
    headers: { 'content-type': 'application/json' },
    body: ['{"type":"error","error":{"type":"invalid_request_error","message":"No."}}'],
  }

  test.each<[string, () => Script]>([
    ['at once', () => failing],
    ['in its middle', () => breakingOff('anthropic', said('I was about to'), 'destroy')],
  ])('%s: the error is the service’s, and the history ends before it', async (_, script) => {
    stage.script(calling(call('c1', 'look', '{}')), script())
    const run = stage.airlock.run(ask())
    await expect(run.result()).rejects.toMatchObject({ name: 'ProviderError', provider: 'anthropic' })
    expect(run.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    expect(run.steps).toHaveLength(1)
    await stage.accepts(run.messages)
  })
})

test('the history is whole at any time, inside a step too', async () => {
  stage.script(calling(call('c1', 'look', '{}')), said('Done.'))
  const run = stage.airlock.run(ask())
  for await (const { type } of run) {
    const { messages } = run
    const calls = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content))
    const count = (kind: string) => calls.filter(part => part.type === kind).length
    expect([type, count('tool-use')]).toEqual([type, count('tool-result')])
  }
})

test('thinking goes back with its signature, redacted thinking as it came', async () => {
  stage.script(
    calling(
      { thinking: 'It is large.', signature: 'c2lnbmF0dXJl' },
      { redacted: 'aGlkZGVu' },
      call('c1', 'look', '{}'),
    ),
    said('Done.'),
  )
  await stage.airlock.run(ask()).result()
  expect(stage.received(1).opaque).toEqual(['c2lnbmF0dXJl', 'aGlkZGVu'])
})

describe('the tools of a run', () => {
  test('are those it names, or all that are registered and not denied', async () => {
    using _one = stage.airlock.tools.register('one', { ...withoutId(look) })
    using _two = stage.airlock.tools.register('two', { ...withoutId(look) })
    stage.script(said('.'), said('.'))
    await stage.airlock.run(ask({ tools: ['two', look] })).result()
    expect(stage.received(0).tools).toEqual(['two', 'look'])
    await stage.airlock.run(ask({ tools: 'all' }), { toolPolicy: { one: 'deny' } }).result()
    expect(stage.received(1).tools).toEqual(['two'])
  })

  test('have names that every service takes, and run under their ids', async () => {
    const tool = defineTool({ ...look, id: '3d' })
    stage.script(calling(call('c1', '_3d', '{"id":1}')), said('Done.'))
    const { steps } = await stage.airlock.run(ask({ tools: [tool], toolChoice: { tool: '3d' } })).result()
    expect(stage.received(0)).toMatchObject({ tools: ['_3d'], choice: { tool: '_3d' } })
    expect(steps[0]?.results).toMatchObject([{ name: '_3d', tool: '3d', outcome: 'ran' }])
  })

  test('may answer with images', async () => {
    const parts = [
      { contentType: 'text/plain', data: 'A door' },
      { contentType: 'image/png', data: 'iVBORw0KGgo=' },
      { contentType: 'application/pdf', data: 'AAAA' },
    ]
    stage.script(calling(call('c1', 'look', '{}')), said('Done.'))
    const { messages } = await stage.airlock
      .run(ask({ tools: [{ ...look, invoke: () => ({ parts }) }] }))
      .result()
    expect(messages[2]).toMatchObject({
      content: [
        {
          content: [
            { type: 'text', text: 'A door' },
            { type: 'image', source: 'iVBORw0KGgo=', mediaType: 'image/png' },
            { type: 'text', text: '[application/pdf, 3 bytes]' },
          ],
        },
      ],
    })
  })

  test('get the token of the run; answers for the session hold for runs with the same one', async () => {
    const tokens: unknown[] = []
    const tool = defineTool({
      ...look,
      readOnly: false,
      invoke({ toolInvocationToken, callId }) {
        tokens.push([toolInvocationToken, callId])
        return ''
      },
    })
    const confirmTool = vi.fn(() => 'allow-session' as const)
    const chat = { chat: 1 }
    for (const toolInvocationToken of [chat, chat, undefined]) {
      stage.script(calling(call('c1', 'look', '{}')), calling(call('c2', 'look', '{}')), said('Done.'))
      await stage.airlock
        .run(ask({ tools: [tool] }), { confirmTool, ...(toolInvocationToken && { toolInvocationToken }) })
        .result()
    }
    expect(tokens.slice(0, 2)).toEqual([
      [chat, 'c1'],
      [chat, 'c2'],
    ])
    // Once for the two runs of the chat, once for the run that is its own session.
    expect(confirmTool).toHaveBeenCalledTimes(2)
    expect(tokens[4]).toEqual([expect.any(Object), 'c1'])
  })

  test('say what they are doing', async () => {
    const tool = defineTool({ ...look, prepare: () => ({ message: 'Looking closely' }) })
    stage.script(calling(call('c1', 'look', '{"id":4}')), said('Done.'))
    const run = stage.airlock.run(ask({ tools: [tool] }))
    const running: RunEvent[] = []
    for await (const event of run) if (event.type === 'tool-running') running.push(event)
    expect(running).toEqual([
      {
        step: 1,
        type: 'tool-running',
        id: 'c1',
        name: 'look',
        tool: 'look',
        parameters: { id: 4 },
        message: 'Looking closely',
      },
    ])
  })
})

describe('what cannot be run is refused before anything is sent', () => {
  test.each<[string, Record<string, unknown>, Record<string, unknown>, object]>([
    ['an id that nothing has', { tools: ['lok'] }, {}, { code: 'unknown-tool' }],
    ['two tools of one id', { tools: [look, look] }, {}, { code: 'invalid-option' }],
    ['a tool that is none', { tools: [{ id: 'x' }] }, {}, { code: 'invalid-option' }],
    ['no tools at all', { tools: undefined }, {}, { code: 'invalid-option' }],
    [
      'a choice that is no tool of the run',
      { toolChoice: { tool: 'x' } },
      {},
      { code: 'invalid-request', path: 'toolChoice.tool' },
    ],
    [
      'maxSteps: 0',
      { maxSteps: 0 },
      {},
      { code: 'invalid-option', message: expect.stringContaining('maxSteps') },
    ],
    ['maxParallel: 1.5', { maxParallel: 1.5 }, {}, { code: 'invalid-option' }],
    ['a budget that nobody counts for', { toolTokenBudget: 100 }, {}, { code: 'invalid-option' }],
    ['a stopWhen that is no function', { stopWhen: true }, {}, { code: 'invalid-option' }],
    [
      'an unknown key',
      { maxStep: 3 },
      {},
      { code: 'invalid-request', message: expect.stringContaining('maxStep') },
    ],
    ['an unknown option', {}, { toolPolicies: {} }, { code: 'invalid-option' }],
    ['no messages', { messages: undefined }, {}, { code: 'invalid-request', path: 'messages' }],
    ['a policy that is none', {}, { toolPolicy: { look: 'yes' } }, { code: 'invalid-option' }],
  ])('%s', async (_, request, options, error) => {
    stage.script(said('Never.'))
    const run = stage.airlock.run(ask(request as Partial<RunRequest>), options)
    await expect(run.result()).rejects.toMatchObject(error)
    expect(stage.requests).toEqual([])
  })
})

function withoutId({ id: _, ...tool }: typeof look) {
  return tool
}
