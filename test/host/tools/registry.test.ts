import { describe, expect, test, vi } from 'vitest'
import * as z from 'zod'
import { createSourceListing } from '../../../host/tools/source-listing.ts'
import type { Tool } from '../../../host/tools/tool.ts'
import { echo, makeSource, makeTools } from './tools.ts'

const ids = async (tools: ReturnType<typeof makeTools>, filter = {}) =>
  (await tools.list(filter)).tools.map(({ id }) => id)

describe('register', () => {
  test('offers a tool until it is disposed, by hand or by `using`', async () => {
    const tools = makeTools()
    const changes = vi.fn()
    tools.onChange(changes)
    const registration = tools.register('first', echo)
    {
      using _second = tools.register('second', echo)
      expect(await ids(tools)).toEqual(['first', 'second'])
    }
    expect(await ids(tools)).toEqual(['first'])
    registration.dispose()
    registration.dispose()
    expect(await ids(tools)).toEqual([])
    expect(changes).toHaveBeenCalledTimes(4)
  })

  test('a second dispose leaves the tool that took the id since', async () => {
    const tools = makeTools()
    const first = tools.register('echo', echo)
    first.dispose()
    tools.register('echo', echo)
    first.dispose()
    expect(await ids(tools)).toEqual(['echo'])
  })

  test.each<[string, string, unknown, RegExp]>([
    ['an id with a space', 'my tool', echo, /"my tool": its id must be 1 to 64 letters/],
    ['an empty id', '', echo, /its id must be/],
    ['an id of 65', 'a'.repeat(65), echo, /its id must be/],
    ['no tool', 'x', undefined, /must be an object with description and invoke/],
    ['no description', 'x', { ...echo, description: ' ' }, /description must say/],
    ['no invoke', 'x', { description: 'd' }, /invoke must be a function/],
    ['a key of another system', 'x', { ...echo, parametersSchema: {} }, /unknown key "parametersSchema"/],
    ['a mistyped key', 'x', { ...echo, inputShema: {} }, /did you mean "inputSchema"\?/],
    ['a schema of an array', 'x', { ...echo, inputSchema: { type: 'array' } }, /it says "array"/],
    ['a schema of anything', 'x', { ...echo, inputSchema: {} }, /it does not say/],
    ['a schema that is text', 'x', { ...echo, inputSchema: '{}' }, /zod schema, or JSON Schema/],
    ['a zod schema of text', 'x', { ...echo, inputSchema: z.string() }, /type: "object" at its top/],
    ['a zod schema that JSON cannot say', 'x', { ...echo, inputSchema: z.object({ at: z.date() }) }, /Date/],
    [
      'a reference to nowhere',
      'x',
      { ...echo, inputSchema: { type: 'object', properties: { a: { $ref: '#/$defs/b' } } } },
      /nothing is at its \$ref/,
    ],
    ['tags that are text', 'x', { ...echo, tags: 'files' }, /tags must be a list/],
  ])('refuses %s', (_, id, tool, message) => {
    const tools = makeTools()
    const register = () => tools.register(id, tool as Tool)
    expect(register).toThrow(message)
    expect(register).toThrow(expect.objectContaining({ code: 'invalid-option' }))
  })

  test('takes a tool that is an object of a class', async () => {
    class Counter implements Tool {
      count = 0
      description = 'Counts its calls'
      invoke() {
        this.count++
        return String(this.count)
      }
    }
    const tools = makeTools()
    tools.register('counter', new Counter())
    await tools.invoke('counter')
    expect(String(await tools.invoke('counter'))).toBe('2')
  })

  test('names both sides of a collision', async () => {
    const tools = makeTools()
    tools.register('echo', echo)
    expect(() => tools.register('echo', echo)).toThrow(
      /"echo" of the program: the program has one of that id/,
    )
    tools.add(makeSource('mcp:files', () => [{ id: 'read', tool: echo }]).source)
    await tools.list()
    expect(() => tools.register('read', echo)).toThrow(/"read" of the program: mcp:files has one of that id/)
    expect(() => tools.add(makeSource('mcp:files', () => []).source)).toThrow(/there is a source of tools/)
  })
})

describe('list', () => {
  test('describes each tool, its zod schema as JSON Schema, and nobody can change that', async () => {
    const tools = makeTools()
    tools.register('read', {
      displayName: 'Read',
      description: 'Reads',
      inputSchema: z.object({ path: z.string(), lines: z.number().default(10) }),
      readOnly: true,
      tags: ['files'],
      invoke: () => '',
    })
    const {
      tools: [read],
      failures,
    } = await tools.list()
    expect(failures).toEqual([])
    expect(read).toMatchObject({
      id: 'read',
      displayName: 'Read',
      description: 'Reads',
      inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
      readOnly: true,
      tags: ['files'],
      source: 'app',
    })
    expect(() => Object.assign(read!, { id: 'other' })).toThrow(TypeError)
  })

  test('filters by id, tag and source', async () => {
    const tools = makeTools()
    tools.register('a', { ...echo, tags: ['x'] })
    tools.add(makeSource('mcp:one', () => [{ id: 'b', tool: { ...echo, tags: ['x'] } }]).source)
    tools.add(makeSource('mcp:two', () => [{ id: 'c', tool: echo }]).source)
    expect(await ids(tools)).toEqual(['a', 'b', 'c'])
    expect(await ids(tools, { id: 'b' })).toEqual(['b'])
    expect(await ids(tools, { tag: 'x' })).toEqual(['a', 'b'])
    expect(await ids(tools, { source: 'mcp' })).toEqual(['b', 'c'])
    expect(await ids(tools, { source: 'mcp:two' })).toEqual(['c'])
    expect(await ids(tools, { tag: 'x', source: 'app' })).toEqual(['a'])
  })
})

describe('a source', () => {
  test('that fails hides nothing of the others, is named, and is asked again', async () => {
    const tools = makeTools()
    let works = false
    const dead = makeSource('mcp:dead', () => {
      if (!works) throw new Error('spawn ENOENT')
      return [{ id: 'late', tool: echo }]
    })
    tools.add(dead.source)
    tools.add(makeSource('extension:good', () => [{ id: 'good', tool: echo }]).source)
    const list = await tools.list()
    expect(list.tools.map(({ id }) => id)).toEqual(['good'])
    expect(list.failures).toMatchObject([{ source: 'mcp:dead', error: { message: 'spawn ENOENT' } }])
    await expect(tools.invoke('late')).rejects.toThrow(/There is no tool "late".*mcp:dead: spawn ENOENT/)
    works = true
    expect(String(await tools.invoke('late'))).toBe('{}')
    expect((await tools.list()).failures).toEqual([])
  })

  test('is asked once, and again after it said that something changed', async () => {
    const tools = makeTools()
    let version = 1
    const { source, seen, change } = makeSource('mcp:one', () => [{ id: `v${version}`, tool: echo }])
    tools.add(source)
    await Promise.all([tools.list(), tools.list(), tools.invoke('v1')])
    expect(seen.listed).toBe(1)
    const changes = vi.fn()
    tools.onChange(changes)
    version = 2
    change()
    expect(changes).toHaveBeenCalled()
    expect(await ids(tools)).toEqual(['v2'])
    await expect(tools.invoke('v1')).rejects.toMatchObject({ code: 'unknown-tool', nearest: ['v2'] })
  })

  test('with one tool that cannot be offered keeps the others', async () => {
    const tools = makeTools()
    const bad = { ...echo, inputSchema: { type: 'string' } }
    tools.add(
      makeSource('mcp:half', () => [
        { id: 'bad', tool: bad },
        { id: 'good', tool: echo },
        { id: 'good', tool: echo },
      ]).source,
    )
    const { tools: listed, failures } = await tools.list()
    expect(listed.map(({ id }) => id)).toEqual(['good'])
    expect(failures.map(({ error }) => error.message)).toEqual([
      expect.stringMatching(/"bad" of mcp:half: inputSchema/),
      'mcp:half lists two tools "good"',
    ])
  })

  test('whose tool another has already: the first stands, both are named', async () => {
    const tools = makeTools()
    const saying = (text: string) => ({ ...echo, invoke: () => text })
    tools.add(makeSource('extension:a', () => [{ id: 'search', tool: saying('a') }]).source)
    tools.add(makeSource('mcp:b', () => [{ id: 'search', tool: saying('b') }]).source)
    const { tools: listed, failures } = await tools.list()
    expect(listed).toMatchObject([{ id: 'search', source: 'extension:a' }])
    expect(failures[0]?.error.message).toBe('mcp:b has a tool "search", as has extension:a: that one is used')
    expect(String(await tools.invoke('search'))).toBe('a')
  })

  test('that hangs holds up neither the program’s tools, nor those known of others, nor an aborted list', async () => {
    const tools = makeTools()
    tools.register('mine', echo)
    tools.add(makeSource('mcp:hangs', () => new Promise(() => {})).source)
    tools.add(makeSource('mcp:works', () => [{ id: 'theirs', tool: echo }]).source)
    expect(String(await tools.invoke('mine'))).toBe('{}')
    expect(String(await tools.invoke('theirs'))).toBe('{}')
    await expect(tools.list({}, { signal: AbortSignal.abort('enough') })).rejects.toBe('enough')
  })

  test('that is late is not waited for twice, and is there once it has answered', async () => {
    const answer = Promise.withResolvers<{ id: string; tool: Tool }[]>()
    const changed = vi.fn()
    const { source, seen } = makeSource('mcp:slow', () => answer.promise)
    const listing = createSourceListing(source, { changed, listMs: 1 })
    await listing.refresh()
    expect(listing.failures[0]?.message).toMatch(/mcp:slow has not listed its tools/)
    await listing.refresh()
    answer.resolve([{ id: 'late', tool: echo }])
    await vi.waitFor(() => expect(changed).toHaveBeenCalled())
    await listing.refresh()
    expect([...listing.tools.keys()]).toEqual(['late'])
    expect(listing.failures).toEqual([])
    expect(seen.listed).toBe(1)
  })

  test('is closed when it is taken out', async () => {
    const tools = makeTools()
    const { source, seen } = makeSource('mcp:one', () => [{ id: 'a', tool: echo }])
    const registration = tools.add(source)
    expect(await ids(tools)).toEqual(['a'])
    registration.dispose()
    expect(await ids(tools)).toEqual([])
    expect(seen.closed).toBe(1)
  })

  test('needs a name that says what it is', () => {
    const source = makeSource('app' as 'mcp:x', () => []).source
    expect(() => makeTools().add(source)).toThrow(/must begin with "extension:" or "mcp:"/)
  })
})

test('a listener that throws breaks neither the registry nor the next listener', () => {
  const warn = vi.fn()
  const tools = makeTools({ warn })
  const next = vi.fn()
  tools.onChange(() => {
    throw new Error('mine')
  })
  tools.onChange(next)
  tools.register('echo', echo)
  expect(next).toHaveBeenCalledOnce()
  expect(warn).toHaveBeenCalledWith(expect.stringContaining('mine'))
})
