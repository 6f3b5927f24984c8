import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  type AirlockOptions,
  type ConfirmRequest,
  createAirlock,
  type LogEntry,
  type RunOptions,
  type ToolCall,
} from '../../../host/index.ts'
import { startScriptedServer } from '../../servers/scripted.ts'
import { createTestHome } from '../../support/home.ts'
import { buildTestExtension } from '../../support/test-extension.ts'
import { call, calling, said, startStage, user } from './run/stage.ts'

const ids = ['echo', 'count', 'relay', 'loop', 'fail', 'picture', 'get', 'grow', 'later', 'trap']

const source = `
import { defineTool, defineTools } from '@airlock/guest-sdk'
const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }
export default defineTools([
  defineTool({ id: 'ID_echo', description: 'Says it again', inputSchema: text,
    invoke: ({ text }, { log }) => { log.warn('echoing'); return text } }),
  defineTool({ id: 'ID_count', displayName: 'Counter', description: 'Counts tokens', inputSchema: text,
    invoke: ({ text }, { countTokens, tokenBudget }) => countTokens(text) + ' of ' + tokenBudget }),
  defineTool({ id: 'ID_relay', description: 'Calls another', invoke({ id, parameters, budget }, context) {
    return context.invokeTool(id, parameters, budget ? { tokenBudget: budget } : {}) } }),
  defineTool({ id: 'ID_loop', description: 'Never ends', invoke() { for (;;); } }),
  defineTool({ id: 'ID_fail', description: 'Fails', invoke() { throw new Error('no such thing: name another') } }),
  defineTool({ id: 'ID_picture', description: 'Draws',
    invoke: () => ({ parts: [{ contentType: 'text/plain', data: 'a dot' }, { contentType: 'image/png', data: 'iVBORw0KGgo=' }] }) }),
  defineTool({ id: 'ID_get', description: 'Fetches', inputSchema: { type: 'object', properties: { url: { type: 'string' } }, required: ['url'] },
    invoke: ({ url }, { fetch }) => { const { status } = fetch(url); return 'status ' + status } }),
  defineTool({ id: 'ID_grow', description: 'Takes memory', invoke() { const all = []; for (;;) all.push(new Uint8Array(1 << 20)) } }),
  defineTool({ id: 'ID_later', description: 'Promises', invoke: () => Promise.resolve('late') }),
  defineTool({ id: 'ID_trap', description: 'Breaks', invoke() { const deep = () => [deep()]; return String(deep()) } }),
])
`

/** An extension whose tools are called `<id>_echo` and so on. */
function toolExtension(
  id: string,
  permissions: { tools?: string[]; network?: string[] } = {},
): Promise<string> {
  const manifest = {
    id,
    name: 'Tools',
    version: '0.1.0',
    contract: 'airlock:llm@0.1.0',
    component: 'dist/tools.wasm',
    tools: ids.map(name => ({ id: `${id}_${name}`, name: `The ${name}` })),
    permissions,
  }
  return buildTestExtension({
    'extension.json': JSON.stringify(manifest),
    'tools.ts': source.replaceAll('ID_', `${id}_`),
  })
}

async function open(folders: readonly string[], options: AirlockOptions = {}) {
  const resources = new AsyncDisposableStack()
  onTestFinished(() => resources.disposeAsync())
  const home = resources.use(await createTestHome({ extensions: [] }))
  const logged: LogEntry[] = []
  const airlock = resources.use(
    await createAirlock({
      home: home.folder,
      env: {},
      toolPolicy: () => 'allow',
      log: entry => logged.push(entry),
      ...options,
    }),
  )
  for (const folder of folders) await airlock.load(folder)
  return { airlock, logged, home }
}

/** Fails rather than hang. */
const soon = () => AbortSignal.timeout(30_000)

describe('an extension of tools', () => {
  test('is listed with what it says of them', async () => {
    const { airlock } = await open([await toolExtension('acme')])
    const { tools, failures } = await airlock.tools.list({ source: 'extension:acme' })
    expect(failures).toEqual([])
    expect(tools.map(({ id }) => id)).toEqual(ids.map(name => `acme_${name}`))
    expect(tools[0]).toEqual({
      id: 'acme_echo',
      displayName: 'The echo',
      description: 'Says it again',
      inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      readOnly: false,
      tags: [],
      source: 'extension:acme',
    })
    expect(tools[1]).toMatchObject({ displayName: 'Counter' })
    expect(airlock.stats().extensions).toMatchObject([{ id: 'acme', state: 'running' }])
  })

  test('is found by the first call, without a list before it, and logs under its name', async () => {
    const { airlock, logged } = await open([await toolExtension('acme')])
    expect(String(await airlock.tools.invoke('acme_echo', { parameters: { text: 'ä\u0000😀' } }))).toBe(
      'ä\u0000😀',
    )
    await vi.waitFor(() =>
      expect(logged).toContainEqual(expect.objectContaining({ extension: 'acme', message: 'echoing' })),
    )
  })

  test('is not called with what does not fit its schema', async () => {
    const { airlock } = await open([await toolExtension('acme')])
    await expect(airlock.tools.invoke('acme_echo', { parameters: { text: 1 } })).rejects.toMatchObject({
      code: 'invalid-tool-input',
      path: 'text',
    })
  })

  test('answers in parts; what it throws is an error that a model can read', async () => {
    const { airlock } = await open([await toolExtension('acme')])
    const picture = await airlock.tools.invoke('acme_picture')
    expect(picture.parts).toEqual([
      { contentType: 'text/plain', data: 'a dot' },
      { contentType: 'image/png', data: 'iVBORw0KGgo=' },
    ])
    const failed = await airlock.tools.invoke('acme_fail')
    expect(failed).toMatchObject({ isError: true })
    expect(String(failed)).toBe('no such thing: name another')
    const later = await airlock.tools.invoke('acme_later')
    expect(later.isError).toBe(true)
    expect(String(later)).toContain('returned a promise; tools are synchronous')
  })

  test('needs the user, as a tool of a stranger does', async () => {
    const confirmTool = vi.fn(() => 'deny' as const)
    const { airlock } = await open([await toolExtension('acme')], { toolPolicy: {}, confirmTool })
    expect(await airlock.tools.invoke('acme_echo', { parameters: { text: 'x' } })).toMatchObject({
      withheld: 'denied',
    })
    expect(confirmTool).toHaveBeenCalledWith(expect.objectContaining({ source: 'extension:acme' }))
  })

  test('runs as an installed one, and ends where it is removed', async () => {
    const folder = await toolExtension('acme')
    const { airlock } = await open([])
    await airlock.install(folder, { agree: () => true })
    expect(String(await airlock.tools.invoke('acme_echo', { parameters: { text: 'x' } }))).toBe('x')
    await airlock.extensions.remove('acme')
    await expect(airlock.tools.invoke('acme_echo', {})).rejects.toMatchObject({ code: 'unknown-tool' })
    expect((await airlock.tools.list()).tools).toEqual([])
  })

  test('that was installed before is found by another airlock', async () => {
    const { airlock, home } = await open([])
    await airlock.install(await toolExtension('acme'), { agree: () => true })
    await airlock.close()
    await using other = await createAirlock({ home: home.folder, env: {}, toolPolicy: () => 'allow' })
    expect(String(await other.tools.invoke('acme_echo', { parameters: { text: 'x' } }))).toBe('x')
  })
})

describe('count-tokens', () => {
  test('counts with the tokenizer of the call, within its budget', async () => {
    const { airlock } = await open([await toolExtension('acme')])
    const tokenOptions = { tokenBudget: 100, countTokens: async (text: string) => text.length * 2 }
    const call = { parameters: { text: 'four' }, tokenOptions }
    expect(String(await airlock.tools.invoke('acme_count', call))).toBe('8 of 100')
  })

  test('estimates where no model is at work, and says why it cannot count', async () => {
    const { airlock } = await open([await toolExtension('acme')])
    expect(String(await airlock.tools.invoke('acme_count', { parameters: { text: 'four' } }))).toBe(
      '1 of undefined',
    )
    const countTokens = () => Promise.reject(new Error('no tokenizer today'))
    const call = { parameters: { text: 'four' }, tokenOptions: { tokenBudget: 9, countTokens } }
    const result = await airlock.tools.invoke('acme_count', call)
    expect(String(result)).toBe('Cannot count tokens: no tokenizer today')
    expect(result.isError).toBe(true)
  })
})

describe('invoke-tool', () => {
  const relay = (id: string, parameters: unknown, more: object = {}): ToolCall => ({
    parameters: { id, parameters, ...more },
  })

  test('calls a tool that manifest and grant name, with the session and the tokenizer of the call', async () => {
    const { airlock } = await open([await toolExtension('acme', { tools: ['note'] })])
    const seen = vi.fn()
    airlock.tools.register('note', {
      description: 'Notes',
      async invoke({ parameters, toolInvocationToken, tokenOptions }) {
        seen(
          parameters,
          toolInvocationToken,
          tokenOptions?.tokenBudget,
          await tokenOptions?.countTokens('abc'),
        )
        return 'noted'
      },
    })
    const call = {
      ...relay('note', { a: 1 }, { budget: 7 }),
      toolInvocationToken: 'session',
      tokenOptions: { tokenBudget: 100, countTokens: async (text: string) => text.length },
    }
    expect(String(await airlock.tools.invoke('acme_relay', call))).toBe('noted')
    expect(seen).toHaveBeenCalledWith({ a: 1 }, 'session', 7, 3)
  })

  test.each([
    ['no manifest', [], undefined, 'it is not in permissions.tools of '],
    ['no grant', ['note'], { tools: [] }, 'tools:note was taken from the grant of "acme"'],
  ])('calls nothing that %s names', async (_, tools, granted, message) => {
    const folder = await toolExtension('acme', { tools })
    const { airlock } = await open([])
    const permissions = (await import('../../../host/policy/permissions.ts')).noPermissions
    await airlock.load(folder, granted && { granted: { ...permissions, memoryMiB: 64, ...granted } })
    const invoke = vi.fn(() => 'noted')
    airlock.tools.register('note', { description: 'Notes', invoke })
    const result = await airlock.tools.invoke('acme_relay', relay('note', {}))
    expect(String(result)).toContain(message)
    expect(result.isError).toBe(true)
    expect(invoke).not.toHaveBeenCalled()
  })

  test('tells the guest of what is not there, does not fit, is denied or fails', async () => {
    const tools = ['gone', 'note', 'denied', 'broken']
    const { airlock } = await open([await toolExtension('acme', { tools })], {
      toolPolicy: ({ id }) => (id === 'denied' ? 'deny' : 'allow'),
    })
    const schema = { type: 'object', properties: { a: { type: 'number' } } }
    airlock.tools.register('note', { description: 'Notes', inputSchema: schema, invoke: () => 'noted' })
    airlock.tools.register('denied', { description: 'Denied', invoke: () => 'done' })
    airlock.tools.register('broken', {
      description: 'Broken',
      invoke: () => Promise.reject(new Error('out of ink')),
    })
    const say = async (id: string, parameters = {}) => {
      const result = await airlock.tools.invoke('acme_relay', relay(id, parameters))
      return `${result.isError} ${result}`
    }
    expect(await say('gone')).toMatch(/^true There is no tool "gone"/)
    expect(await say('note', { a: 'x' })).toMatch(/^true Cannot call "note": a must be/)
    expect(await say('denied')).toMatch(/^true The tool "denied" was not run/)
    expect(await say('broken')).toMatch(/^true The tool "broken" failed: out of ink/)
  })

  test('is under the terms of the run that called the tool', async () => {
    await using stage = await startStage('anthropic')
    await stage.airlock.load(await toolExtension('acme', { tools: ['note'] }))
    const invoke = vi.fn(() => 'noted')
    stage.airlock.tools.register('note', { description: 'Notes', invoke })
    const input = JSON.stringify({ id: 'note', parameters: {} })
    const run = async (options: RunOptions) => {
      stage.script(calling(call('c1', 'acme_relay', input)), said('Done.'))
      const request = { model: stage.model, messages: [user('Note it.')], tools: ['acme_relay'] }
      const { steps } = await stage.airlock.run(request, options).result()
      return String(steps[0]?.results[0]?.result)
    }
    const confirmTool = vi.fn((_: ConfirmRequest) => 'allow' as const)
    expect(await run({ confirmTool })).toBe('noted')
    expect(confirmTool.mock.calls.map(([{ id }]) => id)).toEqual(['acme_relay', 'note'])

    invoke.mockClear()
    const toolPolicy = { acme_relay: 'allow', note: 'deny' } as const
    expect(await run({ toolPolicy, confirmTool })).toMatch(/^The tool "note" was not run/)
    expect(invoke).not.toHaveBeenCalled()
  })

  test('ends a circle with an error that shows it, through a tool of the program too', async () => {
    const acme = await toolExtension('acme', { tools: ['other_relay', 'step'] })
    const other = await toolExtension('other', { tools: ['acme_relay'] })
    const { airlock } = await open([acme, other])
    const circle = relay('other_relay', { id: 'acme_relay', parameters: { id: 'other_relay' } })
    const result = await airlock.tools.invoke('acme_relay', circle, soon())
    expect(String(result)).toBe(
      'Cannot call "acme_relay": it waits for this very call: "acme_relay" -> "other_relay" -> "acme_relay"',
    )
    airlock.tools.register('step', {
      description: 'In between',
      invoke: (_, signal) => airlock.tools.invoke('acme_relay', relay('step', {}), signal),
    })
    const through = await airlock.tools.invoke('acme_relay', relay('step', {}), soon())
    expect(String(through)).toMatch(/^Cannot call "step": at most 8 tools may wait/)
  })

  test('never waits for itself, however many call at once and however few instances there are', async () => {
    const acme = await toolExtension('acme', { tools: ['acme_echo'] })
    for (const instances of [1, 2, 4]) {
      const { airlock } = await open([acme], { limits: { instances, computeMs: 30_000 } })
      const calls = Array.from({ length: 12 }, (_, n) =>
        airlock.tools.invoke('acme_relay', relay('acme_echo', { text: `${n}` }), soon()),
      )
      const results = await Promise.all(calls)
      for (const [n, result] of results.entries())
        expect(String(result)).toMatch(instances > 1 ? new RegExp(`^${n}$`) : /has 1 calls? that waits?/)
    }
  })

  test('aborting the call aborts the one that it waits for', async () => {
    const { airlock } = await open([await toolExtension('acme', { tools: ['slow'] })])
    const started = Promise.withResolvers<AbortSignal>()
    airlock.tools.register('slow', {
      description: 'Slow',
      invoke: (_, signal) => {
        started.resolve(signal)
        return new Promise(() => {})
      },
    })
    const controller = new AbortController()
    const calling = airlock.tools.invoke('acme_relay', relay('slow', {}), controller.signal)
    calling.catch(() => {})
    const inner = await started.promise
    controller.abort(new Error('enough'))
    await expect(calling).rejects.toThrow('enough')
    await vi.waitFor(() => expect(inner.aborted).toBe(true))
    expect(String(await airlock.tools.invoke('acme_echo', { parameters: { text: 'next' } }, soon()))).toBe(
      'next',
    )
  })
})

describe('a tool that goes too far', () => {
  test.each(['thread', 'process'] as const)(
    'is stopped where it never ends, in a %s, and the next call works',
    async isolation => {
      const { airlock } = await open([await toolExtension('acme')], { isolation, limits: { computeMs: 300 } })
      await expect(airlock.tools.invoke('acme_loop', {}, soon())).rejects.toMatchObject({
        code: 'tool-failed',
        tool: 'acme_loop',
        cause: { code: 'extension-stopped', extension: 'acme' },
        message: expect.stringContaining('computed for more than 300 ms'),
      })
      expect(String(await airlock.tools.invoke('acme_echo', { parameters: { text: 'next' } }, soon()))).toBe(
        'next',
      )
    },
  )

  test('is told that its memory is at an end, and the next call works', async () => {
    const { airlock } = await open([await toolExtension('acme')], { limits: { memoryMiB: 16 } })
    const outcome = await airlock.tools.invoke('acme_grow', {}, soon()).catch((error: unknown) => error)
    expect(String(outcome)).toMatch(/out of memory|trapped/)
    expect(String(await airlock.tools.invoke('acme_echo', { parameters: { text: 'next' } }, soon()))).toBe(
      'next',
    )
  })

  test('reaches no address that was not granted', async () => {
    await using server = await startScriptedServer({ status: 200 })
    const { airlock } = await open([await toolExtension('acme', { network: ['https://api.example.com'] })])
    for (const url of [
      server.url,
      'https://other.example.com/',
      'http://169.254.169.254/',
      'file:///etc/passwd',
    ]) {
      const result = await airlock.tools.invoke('acme_get', { parameters: { url } }, soon())
      expect(result.isError).toBe(true)
      expect(String(result)).toMatch(/Cannot|must/)
    }
    expect(server.requests).toEqual([])
  })
})
