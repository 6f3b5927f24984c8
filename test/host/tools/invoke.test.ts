import { describe, expect, test, vi } from 'vitest'
import * as z from 'zod'
import type { Tool, ToolInvocation } from '../../../host/tools/tool.ts'
import { ToolResult } from '../../../host/tools/tool-result.ts'
import { echo, makeSource, makeTools } from './tools.ts'

const schema = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    lines: { type: 'integer' },
    names: { type: 'array', items: { type: 'string' } },
    options: { type: 'object', properties: { deep: { type: 'boolean' } } },
  },
  required: ['path'],
  additionalProperties: false,
}

describe('parameters', () => {
  test.each<[unknown, string, RegExp]>([
    [{}, 'path', /Cannot call "read": path is missing/],
    [{ path: 5 }, 'path', /path must be a string, not a number/],
    [{ path: 'a', names: ['b', 1] }, 'names[1]', /names\[1\] must be a string, not a number/],
    [{ path: 'a', more: 1 }, 'more', /more must not be there/],
    ['{"path":"a"}', '', /the parameters must be an object, not a string/],
    [[], '', /the parameters must be an object, not an array/],
  ])('that do not fit never reach the tool: %j', async (parameters, path, message) => {
    const tools = makeTools()
    const invoke = vi.fn(() => 'ran')
    tools.register('read', { ...echo, inputSchema: schema, invoke })
    const calling = tools.invoke('read', { parameters })
    await expect(calling).rejects.toMatchObject({ code: 'invalid-tool-input', tool: 'read', path })
    await expect(calling).rejects.toThrow(message)
    expect(invoke).not.toHaveBeenCalled()
  })

  test('all that is wrong is there for a program', async () => {
    const tools = makeTools()
    tools.register('read', { ...echo, inputSchema: schema })
    await expect(tools.invoke('read', { parameters: { path: 1, lines: 'x' } })).rejects.toMatchObject({
      issues: [
        { path: 'path', message: 'path must be a string, not a number' },
        { path: 'lines', message: 'lines must be an integer, not a string' },
      ],
    })
  })

  test('the caller’s object is never changed, nor shared with the tool', async () => {
    const tools = makeTools()
    let got: Record<string, unknown> = {}
    tools.register('read', {
      description: 'd',
      inputSchema: { type: 'object' },
      invoke({ parameters }) {
        got = parameters as typeof got
        got.path = 'changed'
        ;(got.names as string[]).push('more')
        return ''
      },
    })
    const parameters = Object.freeze({ path: 'a', names: Object.freeze(['x']) })
    await tools.invoke('read', { parameters })
    expect(parameters).toEqual({ path: 'a', names: ['x'] })
    expect(got.names).toEqual(['x', 'more'])
  })

  test('a key __proto__ is refused, wherever it stands', async () => {
    const tools = makeTools()
    tools.register('echo', echo)
    const parameters: unknown = JSON.parse('{"a":{"__proto__":{"admin":true}}}')
    await expect(tools.invoke('echo', { parameters })).rejects.toMatchObject({
      code: 'invalid-tool-input',
      path: 'a',
      message: expect.stringContaining('"__proto__"'),
    })
    await expect(
      tools.invoke('echo', { parameters: { text: '{"__proto__":1}' }, repair: true }),
    ).resolves.toBeDefined()
  })

  test.each([
    ['a function', { a: () => 1 }],
    ['a bigint', { a: 1n }],
    ['NaN', { a: Number.NaN }],
    ['a Map', { a: new Map() }],
    [
      'a circle',
      (() => {
        const circle: Record<string, unknown> = {}
        circle.self = circle
        return circle
      })(),
    ],
  ])('%s is no JSON', async (_, parameters) => {
    const tools = makeTools()
    tools.register('echo', echo)
    await expect(tools.invoke('echo', { parameters })).rejects.toMatchObject({ code: 'invalid-tool-input' })
  })

  test('absent are an empty object, and undefined fields are absent', async () => {
    const tools = makeTools()
    tools.register('echo', echo)
    expect(String(await tools.invoke('echo'))).toBe('{}')
    expect(String(await tools.invoke('echo', { parameters: { a: undefined, b: 1 } }))).toBe('{"b":1}')
  })

  test('zod: defaults and transforms apply, and the types are the tool’s', async () => {
    const tools = makeTools()
    tools.register('wait', {
      description: 'd',
      inputSchema: z.object({
        ms: z.coerce.number(),
        until: z.string().transform(text => new Date(text)),
        n: z.number().default(3),
      }),
      invoke: ({ parameters: { ms, until, n } }) => `${ms + n} ${until.getUTCFullYear()}`,
    })
    const result = await tools.invoke('wait', { parameters: { ms: '5', until: '2020-02-02' } })
    expect(String(result)).toBe('8 2020')
  })

  test('zod: what does not fit is named, transforms that throw and refinements that wait included', async () => {
    const tools = makeTools()
    tools.register('read', {
      ...echo,
      inputSchema: z.object({
        path: z.string().transform(path => {
          if (path === 'boom') throw new Error('no such path')
          return path
        }),
        name: z
          .string()
          .refine(async name => name !== 'taken', { error: 'is taken' })
          .optional(),
      }),
    })
    const refused = (parameters: unknown) => expect(tools.invoke('read', { parameters })).rejects
    await refused({ path: 5 }).toMatchObject({
      path: 'path',
      message: /path must be a string, not 5|a number/,
    })
    await refused({ path: 'a', name: 'taken' }).toMatchObject({ path: 'name' })
    await refused({ path: 'boom' }).toMatchObject({ code: 'invalid-tool-input', message: /no such path/ })
  })

  test('a stranger’s pattern cannot stop the host', async () => {
    const tools = makeTools()
    const tool = {
      ...echo,
      inputSchema: { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } },
    }
    tools.add(makeSource('mcp:slow', () => [{ id: 'slow', tool }]).source)
    await expect(tools.invoke('slow', { parameters: { a: `${'a'.repeat(60)}!` } })).resolves.toBeDefined()
  })
})

describe('repair', () => {
  test.each<[unknown, unknown]>([
    [
      { path: 'a', lines: '12' },
      { path: 'a', lines: 12 },
    ],
    [
      { path: 'a', names: '["b","c"]' },
      { path: 'a', names: ['b', 'c'] },
    ],
    [
      { path: 'a', options: '{"deep":"true"}' },
      { path: 'a', options: { deep: true } },
    ],
    ['{"path":"a"}', { path: 'a' }],
    [{ path: '5' }, { path: '5' }],
    [{ path: '{"a":1}' }, { path: '{"a":1}' }],
  ])('%j is read as %j', async (parameters, read) => {
    const tools = makeTools()
    tools.register('read', { ...echo, inputSchema: schema })
    const before = structuredClone(parameters)
    expect(JSON.parse(String(await tools.invoke('read', { parameters, repair: true })))).toEqual(read)
    expect(parameters).toEqual(before)
  })

  test('is not done unless asked for', async () => {
    const tools = makeTools()
    tools.register('read', { ...echo, inputSchema: schema })
    await expect(tools.invoke('read', { parameters: { path: 'a', lines: '12' } })).rejects.toThrow(/lines/)
  })

  test('what it cannot mend is refused as it was written', async () => {
    const tools = makeTools()
    tools.register('read', { ...echo, inputSchema: schema })
    const calling = tools.invoke('read', { parameters: { path: 'a', lines: 'twelve' }, repair: true })
    await expect(calling).rejects.toThrow('lines must be an integer, not a string')
  })

  test('follows references and alternatives, for zod too', async () => {
    const tools = makeTools()
    tools.register('a', {
      ...echo,
      inputSchema: {
        type: 'object',
        properties: {
          at: { $ref: '#/$defs/point' },
          either: { anyOf: [{ type: 'number' }, { type: 'null' }] },
        },
        $defs: { point: { type: 'object', properties: { x: { type: 'number' } } } },
      },
    })
    tools.register('b', { ...echo, inputSchema: z.object({ list: z.array(z.number()) }) })
    const a = { at: '{"x":"1.5"}', either: 'null' }
    expect(String(await tools.invoke('a', { parameters: a, repair: true }))).toBe(
      '{"at":{"x":1.5},"either":null}',
    )
    const b = await tools.invoke('b', { parameters: { list: '["1", 2]' }, repair: true })
    expect(String(b)).toBe('{"list":[1,2]}')
  })

  test('hidden in text, __proto__ is refused all the same', async () => {
    const tools = makeTools()
    tools.register('read', { ...echo, inputSchema: schema })
    const parameters = { path: 'a', options: '{"__proto__":{"x":1}}' }
    await expect(tools.invoke('read', { parameters, repair: true })).rejects.toMatchObject({
      code: 'invalid-tool-input',
    })
  })
})

describe('what comes back', () => {
  const returning = async (output: unknown) => {
    const tools = makeTools()
    tools.register('t', { description: 'd', invoke: () => output as string })
    return tools.invoke('t')
  }

  test('text is one part of text/plain', async () => {
    const result = await returning('hello')
    expect(result.parts).toEqual([{ contentType: 'text/plain', data: 'hello' }])
    expect(result).toMatchObject({ isError: false })
    expect(`${result}`).toBe('hello')
  })

  test('parts by content type, with a text for all of them', async () => {
    const result = await returning({
      parts: [
        { contentType: 'application/json; charset=utf-8', data: '{"a":1}' },
        { contentType: 'image/png', data: 'AAAA' },
      ],
      isError: true,
    })
    expect(result.get('application/json')).toBe('{"a":1}')
    expect(result.get('IMAGE/PNG')).toBe('AAAA')
    expect(result.get('text/html')).toBeUndefined()
    expect(result.isError).toBe(true)
    expect(String(result)).toBe('{"a":1}\n[image/png, 3 bytes]')
    expect(result).toBeInstanceOf(ToolResult)
  })

  test.each<[unknown, RegExp]>([
    [undefined, /"t" returned undefined: a tool with nothing to say returns an empty text/],
    [null, /returned null/],
    [5, /returned neither text nor/],
    [{ content: [] }, /returned neither text nor/],
    [{ parts: [{ contentType: 'text', data: '' }] }, /parts\[0\] whose contentType is no media type/],
    [{ parts: [{ contentType: 'text/plain', data: { a: 1 } }] }, /parts\[0\] whose data is no text/],
    [{ parts: [null] }, /parts\[0\]/],
    [{ parts: [], isError: 'yes' }, /isError/],
  ])('%j is an error of its own, no cancellation', async (output, message) => {
    const calling = returning(output)
    await expect(calling).rejects.toMatchObject({ code: 'tool-broke-contract', tool: 't' })
    await expect(calling).rejects.toThrow(message)
  })

  test('a tool that throws is a ToolError with what it threw', async () => {
    const tools = makeTools()
    const cause = new RangeError('disk full')
    tools.register('t', {
      description: 'd',
      invoke() {
        throw cause
      },
    })
    await expect(tools.invoke('t')).rejects.toMatchObject({
      name: 'ToolError',
      code: 'tool-failed',
      tool: 't',
      message: 'The tool "t" failed: disk full',
      cause,
    })
  })
})

test('a tool that is not there is named with those that look like it', async () => {
  const tools = makeTools()
  tools.register('read_file', echo)
  await expect(tools.invoke('readfile')).rejects.toMatchObject({
    code: 'unknown-tool',
    message: 'There is no tool "readfile": did you mean "read_file"?',
    nearest: ['read_file'],
  })
})

describe('abort', () => {
  test('rejects at once with the reason, tells the tool, and throws away what comes late', async () => {
    const tools = makeTools()
    const late = Promise.withResolvers<string>()
    let told: unknown
    tools.register('slow', {
      description: 'd',
      invoke(_, signal) {
        signal.addEventListener('abort', () => (told = signal.reason))
        return late.promise
      },
    })
    const controller = new AbortController()
    const calling = tools.invoke('slow', {}, controller.signal)
    await new Promise(setImmediate)
    controller.abort('enough')
    await expect(calling).rejects.toBe('enough')
    expect(told).toBe('enough')
    late.reject(new Error('nobody is told of this'))
    await new Promise(setImmediate)
  })

  test('before the call: the tool never runs', async () => {
    const tools = makeTools()
    const invoke = vi.fn(() => '')
    tools.register('t', { description: 'd', invoke })
    await expect(tools.invoke('t', {}, AbortSignal.abort('no'))).rejects.toBe('no')
    expect(invoke).not.toHaveBeenCalled()
  })

  test('one signal for a thousand calls keeps no listener', async () => {
    const tools = makeTools()
    tools.register('echo', echo)
    const { signal } = new AbortController()
    const add = vi.spyOn(signal, 'addEventListener')
    const remove = vi.spyOn(signal, 'removeEventListener')
    for (let count = 0; count < 1_000; count++) await tools.invoke('echo', {}, signal)
    expect(add.mock.calls.length).toBeGreaterThanOrEqual(1_000)
    expect(remove.mock.calls.length).toBe(add.mock.calls.length)
  })
})

describe('what a tool is given', () => {
  const capture = async (call: object) => {
    const tools = makeTools()
    let got: ToolInvocation | undefined
    tools.register('t', {
      description: 'd',
      async invoke(invocation) {
        got = invocation
        return String(await invocation.tokenOptions?.countTokens('four'))
      },
    })
    const result = await tools.invoke('t', call)
    return { got: got as ToolInvocation, result }
  }

  test('countTokens works while the call runs, and not after', async () => {
    const { got, result } = await capture({
      tokenOptions: { tokenBudget: 100, countTokens: async (text: string) => text.length },
    })
    expect(got.tokenOptions?.tokenBudget).toBe(100)
    expect(String(result)).toBe('4')
    await expect(got.tokenOptions?.countTokens('x')).rejects.toMatchObject({
      code: 'tool-call-over',
      tool: 't',
    })
  })

  test('the invocation token, untouched, to hand on to a tool that it calls', async () => {
    const tools = makeTools()
    const token = Object.freeze({ chat: 7 })
    const seen: unknown[] = []
    tools.register('inner', {
      description: 'd',
      invoke({ toolInvocationToken }) {
        seen.push(toolInvocationToken)
        return 'inner'
      },
    })
    tools.register('outer', {
      description: 'd',
      async invoke({ toolInvocationToken }, signal) {
        seen.push(toolInvocationToken)
        return `outer of ${await tools.invoke('inner', { toolInvocationToken }, signal)}`
      },
    })
    expect(String(await tools.invoke('outer', { toolInvocationToken: token }))).toBe('outer of inner')
    expect(seen).toEqual([token, token])
    expect(seen[0]).toBe(token)
  })

  test('nothing that was not given', async () => {
    const { got } = await capture({})
    expect(Object.keys(got)).toEqual(['parameters'])
  })
})

test('close aborts the calls that run', async () => {
  const { createTools } = await import('../../../host/tools/create-tools.ts')
  const tools = createTools({ toolPolicy: { hangs: 'allow' } })
  const hangs: Tool = { description: 'd', invoke: () => new Promise(() => {}) }
  tools.registry.register('hangs', hangs)
  const calling = tools.registry.invoke('hangs')
  await new Promise(setImmediate)
  await tools.close()
  await expect(calling).rejects.toMatchObject({ code: 'airlock-closed' })
  await expect(tools.registry.invoke('hangs')).rejects.toMatchObject({ code: 'airlock-closed' })
})

test('an observer is told of each call, once, and how it ended; one that throws breaks nothing', async () => {
  const ends: unknown[] = []
  const observe = vi.fn(() => ({ end: (outcome: unknown) => void ends.push(outcome) }))
  const broken = () => {
    throw new Error('mine')
  }
  const warn = vi.fn()
  const tools = makeTools({
    observers: [{ tool: broken }, { tool: observe }, { tool: () => ({ end: broken }) }],
    warn,
  })
  tools.register('echo', echo)
  await tools.invoke('echo', { parameters: { a: 1 }, callId: 'c1' })
  await tools.invoke('echo', { parameters: 5 }).catch(() => {})
  expect(observe.mock.calls).toEqual([
    [{ id: 'echo', callId: 'c1', source: 'app', parameters: { a: 1 } }],
    [{ id: 'echo', source: 'app', parameters: 5 }],
  ])
  expect(ends).toEqual([
    { isError: false, result: expect.any(ToolResult) },
    { isError: true, error: expect.any(Error) },
  ])
  expect(warn).toHaveBeenCalledTimes(4)
})
