import { describe, expect, test, vi } from 'vitest'
import type { ConfirmAnswer, ConfirmRequest } from '../../../host/tools/confirmation.ts'
import { createTools, type ToolsOptions } from '../../../host/tools/create-tools.ts'
import type { Tool } from '../../../host/tools/tool.ts'
import { makeSource } from './tools.ts'

const doing: Tool = {
  description: 'Does it',
  inputSchema: { type: 'object', properties: { n: { type: 'number' } } },
  invoke: ({ parameters }) => `did ${JSON.stringify(parameters)}`,
}

/** Tools with somebody to ask, who gives these answers. */
function make(answer: ConfirmAnswer | ConfirmAnswer[] | undefined, options: ToolsOptions = {}) {
  const answers = [answer].flat()
  const asked: ConfirmRequest[] = []
  const confirmTool = (request: ConfirmRequest) => {
    asked.push(request)
    return (answers.length > 1 ? answers.shift() : answers[0]) as ConfirmAnswer
  }
  const { registry } = createTools({ ...(answer !== undefined && { confirmTool }), ...options })
  return { tools: registry, asked }
}

describe('who is asked', () => {
  test('by default everything, but the program’s own tools that change nothing', async () => {
    const { tools, asked } = make('allow')
    tools.register('write', doing)
    tools.register('read', { ...doing, readOnly: true })
    tools.add(makeSource('mcp:files', () => [{ id: 'theirs', tool: { ...doing, readOnly: true } }]).source)
    for (const id of ['write', 'read', 'theirs']) await tools.invoke(id)
    // What a stranger says of its own tool is no reason not to ask.
    expect(asked.map(({ id, source }) => [id, source])).toEqual([
      ['write', 'app'],
      ['theirs', 'mcp:files'],
    ])
  })

  test('the question is the tool’s own where it has one', async () => {
    const { tools, asked } = make('allow')
    const prepare = vi.fn(() => ({ confirmation: { title: 'Delete?', message: 'All 3 files' } }))
    const session = { chat: 1 }
    tools.register('rm', { ...doing, displayName: 'Delete', readOnly: true, prepare })
    await tools.invoke('rm', { parameters: { n: 1 }, callId: 'c1', toolInvocationToken: session })
    expect(prepare).toHaveBeenCalledOnce()
    expect(asked).toEqual([
      {
        id: 'rm',
        displayName: 'Delete',
        source: 'app',
        parameters: { n: 1 },
        title: 'Delete?',
        message: 'All 3 files',
        signal: expect.any(AbortSignal),
        session,
        callId: 'c1',
      },
    ])
  })

  test('without one, it says what the tool is', async () => {
    const { tools, asked } = make('allow')
    tools.register('rm', { ...doing, displayName: 'Delete' })
    await tools.invoke('rm')
    expect(asked[0]).toMatchObject({ title: 'Run "Delete"?', message: 'Does it' })
  })

  test('nobody is asked of parameters that do not fit', async () => {
    const { tools, asked } = make('allow')
    tools.register('t', doing)
    await expect(tools.invoke('t', { parameters: { n: 'x' } })).rejects.toMatchObject({ path: 'n' })
    expect(asked).toEqual([])
  })
})

describe('a denial is a result, never a throw', () => {
  test('nobody to ask: it says what to set', async () => {
    const { tools } = make(undefined)
    const invoke = vi.fn(() => '')
    tools.register('write', { ...doing, invoke })
    const result = await tools.invoke('write')
    expect(result).toMatchObject({ isError: true, withheld: 'denied' })
    expect(String(result)).toMatch(
      /"write" was not run: .*confirmTool.*toolPolicy: { "write": "allow" }.*settings\.json.*readOnly/,
    )
    expect(invoke).not.toHaveBeenCalled()
  })

  test.each<[unknown, object]>([
    ['deny', { isError: true, withheld: 'denied' }],
    ['skip', { isError: false, withheld: 'skipped' }],
    ['yes', { isError: true, withheld: 'denied' }],
    [true, { isError: true, withheld: 'denied' }],
    [null, { isError: true, withheld: 'denied' }],
    [{ decision: 'perhaps' }, { isError: true, withheld: 'denied' }],
  ])('%j', async (answer, expected) => {
    const { tools } = make(answer as ConfirmAnswer)
    const invoke = vi.fn(() => '')
    tools.register('t', { ...doing, invoke })
    const result = await tools.invoke('t')
    expect(result).toMatchObject(expected)
    expect(String(result)).toMatch(/"t"/)
    expect(invoke).not.toHaveBeenCalled()
  })

  test('a question that fails is a no', async () => {
    const warn = vi.fn()
    const confirmTool = () => Promise.reject(new Error('no terminal'))
    const { registry } = createTools({ confirmTool, warn })
    registry.register('t', doing)
    expect(await registry.invoke('t')).toMatchObject({ withheld: 'denied' })
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('no terminal'))
  })
})

describe('edited parameters', () => {
  test('are what the tool gets', async () => {
    const { tools } = make({ decision: 'allow', parameters: { n: 2 } })
    tools.register('t', doing)
    expect(String(await tools.invoke('t', { parameters: { n: 1 } }))).toBe('did {"n":2}')
  })

  test('are checked again', async () => {
    const { tools } = make({ decision: 'allow', parameters: { n: 'two' } })
    tools.register('t', doing)
    await expect(tools.invoke('t', { parameters: { n: 1 } })).rejects.toMatchObject({
      code: 'invalid-tool-input',
      message: expect.stringContaining('edited'),
    })
  })

  test('whoever is asked cannot change what runs by writing into the question', async () => {
    const confirmTool = (request: ConfirmRequest) => {
      ;(request.parameters as { n: number }).n = 99
      return 'allow' as const
    }
    const { registry } = createTools({ confirmTool })
    registry.register('t', {
      ...doing,
      prepare({ parameters }) {
        Object.assign(parameters as object, { n: 98 })
        return undefined
      },
    })
    expect(String(await registry.invoke('t', { parameters: { n: 1 } }))).toBe('did {"n":1}')
  })
})

describe('an answer for the session', () => {
  test('holds for this tool and this token', async () => {
    const { tools, asked } = make('allow-session')
    tools.register('a', doing)
    tools.register('b', doing)
    const [one, two] = [{}, 'chat-2']
    for (const toolInvocationToken of [one, one, two, two]) await tools.invoke('a', { toolInvocationToken })
    await tools.invoke('b', { toolInvocationToken: one })
    expect(asked.map(({ id, session }) => [id, session])).toEqual([
      ['a', one],
      ['a', two],
      ['b', one],
    ])
  })

  test('without a token holds for one call', async () => {
    const { tools, asked } = make('allow-session')
    tools.register('a', doing)
    await tools.invoke('a')
    await tools.invoke('a')
    expect(asked).toHaveLength(2)
  })

  test('ends where the tool is described in another way', async () => {
    const { tools, asked } = make('allow-session')
    let description = 'Reads a file'
    const { source, change } = makeSource('mcp:x', () => [{ id: 'a', tool: { ...doing, description } }])
    tools.add(source)
    const call = { toolInvocationToken: 'chat' }
    await tools.invoke('a', call)
    change()
    await tools.invoke('a', call)
    expect(asked).toHaveLength(1)
    description = 'Reads a file and sends it away'
    change()
    await tools.invoke('a', call)
    expect(asked).toHaveLength(2)
  })

  test('comes one question at a time, and answers those that wait', async () => {
    const gate = Promise.withResolvers<void>()
    let open = 0
    let most = 0
    let questions = 0
    const confirmTool = async () => {
      questions++
      most = Math.max(most, ++open)
      await gate.promise
      open--
      return 'allow-session' as const
    }
    const { registry } = createTools({ confirmTool })
    registry.register('a', doing)
    registry.register('b', doing)
    const call = { toolInvocationToken: 'chat' }
    const calls = ['a', 'a', 'a', 'b'].map(id => registry.invoke(id, call))
    await new Promise(setImmediate)
    gate.resolve()
    await Promise.all(calls)
    expect({ most, questions }).toEqual({ most: 1, questions: 2 })
  })
})

test('allow-always is kept under the name of the source, and holds at once', async () => {
  const kept: string[] = []
  const { tools, asked } = make('allow-always', { remember: async key => void kept.push(key) })
  tools.register('a', doing)
  tools.add(makeSource('mcp:x', () => [{ id: 'b', tool: doing }]).source)
  for (const id of ['a', 'a', 'b', 'b']) await tools.invoke(id)
  expect(kept).toEqual(['a', 'mcp:x/b'])
  expect(asked).toHaveLength(2)
})

test('an abort ends the wait for an answer, tells the one who asks, and lets the next question come', async () => {
  const signals: AbortSignal[] = []
  let answer: ConfirmAnswer | Promise<ConfirmAnswer> = new Promise<never>(() => {})
  const { registry } = createTools({
    confirmTool(request) {
      signals.push(request.signal)
      return answer
    },
  })
  registry.register('t', doing)
  const controller = new AbortController()
  const calling = registry.invoke('t', {}, controller.signal)
  await vi.waitFor(() => expect(signals).toHaveLength(1))
  controller.abort('enough')
  await expect(calling).rejects.toBe('enough')
  expect(signals[0]?.aborted).toBe(true)
  answer = 'allow'
  expect(String(await registry.invoke('t'))).toBe('did {}')
})

describe('the policy', () => {
  const outcome = async (options: ToolsOptions, tool: Tool = doing) => {
    const { tools, asked } = make('allow', options)
    tools.add(makeSource('mcp:x', () => [{ id: 't', tool }]).source)
    const { withheld } = await tools.invoke('t')
    return withheld ?? (asked.length > 0 ? 'asked' : 'ran')
  }

  test.each<[ToolsOptions['toolPolicy'], string]>([
    [undefined, 'asked'],
    [{ t: 'allow' }, 'ran'],
    [{ t: 'deny' }, 'denied'],
    [{ 'mcp:x': 'allow' }, 'ran'],
    [{ 'mcp:x/t': 'allow', t: 'deny' }, 'ran'],
    [{ t: 'deny', 'mcp:x': 'allow' }, 'denied'],
    [{ 'mcp:y': 'allow' }, 'asked'],
    [({ source }) => (source === 'mcp:x' ? 'allow' : 'deny'), 'ran'],
    [() => undefined, 'asked'],
  ])('%j: %s', async (toolPolicy, expected) => {
    expect(await outcome({ toolPolicy })).toBe(expected)
  })

  test('of the user and of the program: the stricter holds', async () => {
    expect(await outcome({ settings: () => ({ t: 'deny' }), toolPolicy: { t: 'allow' } })).toBe('denied')
    expect(await outcome({ settings: () => ({ t: 'allow' }), toolPolicy: { t: 'ask' } })).toBe('asked')
    expect(await outcome({ settings: () => ({ t: 'allow' }) })).toBe('ran')
  })

  test('"ask" asks of what is readOnly too; "allow" does not even where the tool would', async () => {
    const { tools, asked } = make('allow', { toolPolicy: { a: 'ask', b: 'allow' } })
    tools.register('a', { ...doing, readOnly: true })
    tools.register('b', { ...doing, prepare: () => ({ confirmation: { title: 't', message: 'm' } }) })
    await tools.invoke('a')
    await tools.invoke('b')
    expect(asked.map(({ id }) => id)).toEqual(['a'])
  })

  test('a tool that is denied does not even say what it would do', async () => {
    const { tools } = make('allow', { toolPolicy: { t: 'deny' } })
    const prepare = vi.fn()
    tools.register('t', { ...doing, prepare })
    expect(await tools.invoke('t')).toMatchObject({ withheld: 'denied' })
    expect(prepare).not.toHaveBeenCalled()
  })

  test.each([[{ t: 'yes' }], ['allow'], [null]])('%j is refused when the airlock is made', toolPolicy => {
    const make = () =>
      createTools({ toolPolicy: toolPolicy as unknown as NonNullable<ToolsOptions['toolPolicy']> })
    expect(make).toThrow(expect.objectContaining({ code: 'invalid-option' }))
  })
})

test.each([
  ['a title that is no text', { confirmation: { title: 5, message: 'm' } }],
  ['no object', 'sure'],
  ['a message that is no text', { message: {} }],
])('prepare that returns %s is told so', async (_, prepared) => {
  const { tools } = make('allow')
  tools.register('t', { ...doing, prepare: () => prepared as never })
  await expect(tools.invoke('t')).rejects.toMatchObject({ code: 'tool-broke-contract' })
})

test('prepare that throws fails the call, and the tool does not run', async () => {
  const { tools } = make('allow')
  const invoke = vi.fn(() => '')
  const prepare = () => {
    throw new Error('cannot say')
  }
  tools.register('t', { ...doing, prepare, invoke })
  await expect(tools.invoke('t')).rejects.toMatchObject({ code: 'tool-failed', message: /cannot say/ })
  expect(invoke).not.toHaveBeenCalled()
})
