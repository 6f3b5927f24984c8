import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, expectTypeOf, onTestFinished, test, vi } from 'vitest'
import { buildExtension } from '../../guest-sdk/build/build-extension.ts'
import { readSurface } from '../../guest-sdk/build/check-component.ts'
import { check } from '../../guest-sdk/build/commands/check.ts'
import { createExtension } from '../../guest-sdk/build/commands/new.ts'
import { defineTool, defineTools } from '../../guest-sdk/index.ts'
import { createAirlock } from '../../host/index.ts'
import { createTestHome } from '../support/home.ts'
import { writeExtension } from './run-component.ts'

const manifest = (change: object = {}) =>
  JSON.stringify({
    id: 'acme',
    name: 'Acme',
    version: '0.1.0',
    contract: 'airlock:llm@0.1.0',
    component: 'dist/acme.wasm',
    tools: [{ id: 'say' }],
    ...change,
  })
const tool = (change = '') => `import { defineTool, defineTools } from '@airlock/guest-sdk'
const say = { id: 'say', description: 'Says', invoke: () => 'said', ${change} }
export default defineTools([defineTool(say)])`

async function extension(files: Record<string, string>): Promise<string> {
  const folder = await writeExtension({ 'extension.json': manifest(), 'tools.ts': tool(), ...files })
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

describe('defineTool', () => {
  test('types the parameters by the schema', () => {
    defineTool({
      id: 'typed',
      description: 'Typed',
      inputSchema: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          count: { type: 'integer' },
          kind: { enum: ['a', 'b'] },
          tags: { type: 'array', items: { type: 'string' } },
          inner: { type: 'object', properties: { on: { type: 'boolean' } }, required: ['on'] },
          other: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        },
        required: ['name', 'inner'],
      },
      invoke(parameters) {
        expectTypeOf(parameters).toEqualTypeOf<{
          readonly name: string
          readonly inner: { readonly on: boolean }
          readonly count?: number
          readonly kind?: 'a' | 'b'
          readonly tags?: readonly string[]
          readonly other?: unknown
        }>()
        return ''
      },
    })
    defineTool({
      id: 'untyped',
      description: 'Untyped',
      invoke(parameters) {
        expectTypeOf(parameters).toEqualTypeOf<Readonly<Record<string, unknown>>>()
        return { parts: [], isError: false }
      },
    })
  })

  test('defineTools makes one extension of several', () => {
    const one = defineTool({ id: 'one', description: 'One', invoke: () => '1' })
    const two = defineTool({ id: 'two', description: 'Two', invoke: () => '2' })
    expect(defineTools([one, two]).tools.map(({ id }) => id)).toEqual(['one', 'two'])
  })
})

describe('airlock-sdk build of tools', () => {
  test('makes a component that wants no more than what tools are offered', async () => {
    const { componentFile } = await buildExtension(await extension({}))
    const { imports, exports } = await readSurface(await readFile(componentFile))
    expect(exports).toContain('airlock:llm/tools@0.1.0')
    expect(imports).not.toContain('airlock:llm/llm-provider@0.1.0')
  })

  test.each<[string, Record<string, string>, string]>([
    [
      'providers beside tools',
      { 'extension.json': manifest({ providers: [{ id: 'a', name: 'A' }] }) },
      'it names providers and tools: an extension brings one or the other',
    ],
    ['nothing', { 'extension.json': manifest({ tools: [] }) }, 'it names neither providers nor tools'],
    [
      'a tool that the manifest does not name',
      { 'tools.ts': tool("id: 'shout'") },
      'extension.json names the tools say; tools.ts defines shout: they must be the same',
    ],
    ['an id that is none', { 'tools.ts': tool("id: 'say it'") }, 'must be 1 to 64 letters'],
    ['no description', { 'tools.ts': tool("description: ' '") }, 'description of tool say must say'],
    [
      'a schema of a list',
      { 'tools.ts': tool("inputSchema: { type: 'array' }") },
      'type: "object" at its top',
    ],
    ['no invoke', { 'tools.ts': tool('invoke: undefined') }, 'Tool say must have invoke()'],
    ['no default export', { 'tools.ts': 'export default 1' }, 'tools.ts must export default defineTool'],
    [
      'two of one id',
      { 'tools.ts': tool().replace('[', '[defineTool(say), ') },
      'Two tools have the id "say"',
    ],
  ])('says where there are %s', async (_, files, message) => {
    await expect(buildExtension(await extension(files))).rejects.toMatchObject({
      name: 'BuildError',
      message: expect.stringContaining(message),
    })
  })

  test('`new --tools` makes one that builds, checks and answers as it is', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'airlock-new-'))
    onTestFinished(() => rm(parent, { recursive: true, force: true }))
    const folder = join(parent, 'my-tools')
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const said = vi.spyOn(console, 'log').mockImplementation(() => {})
    onTestFinished(() => void vi.restoreAllMocks())
    await createExtension(folder, 'tools')
    await buildExtension(folder)
    await check(folder)
    expect(said.mock.calls.flat().join('\n')).toMatch(/^tools +my-tools-reverse$/m)

    await using home = await createTestHome({ extensions: [folder] })
    await using airlock = await createAirlock({ home: home.folder, env: {}, toolPolicy: () => 'allow' })
    const call = { parameters: { text: 'stressed' } }
    expect(String(await airlock.tools.invoke('my-tools-reverse', call))).toBe('desserts')
  })
})

test('a value that does not fit the contract is named, and the next call works', async () => {
  const folder = await extension({
    'extension.json': manifest({ tools: ['say', 'broken', 'deep', 'half'].map(id => ({ id })) }),
    'tools.ts': `import { defineTool, defineTools } from '@airlock/guest-sdk'
      export default defineTools([
        defineTool({ id: 'say', description: 'Says', invoke: () => [{ contentType: 'text/markdown', data: '# said' }] }),
        defineTool({ id: 'broken', description: 'Breaks', invoke: () => ({ parts: [{ contentType: 'text/plain', data: 7 }] }) }),
        defineTool({ id: 'deep', description: 'Nothing', invoke: () => undefined }),
        defineTool({ id: 'half', description: 'Half a pair', invoke: () => 'a\\ud800b' }),
      ])`,
  })
  await buildExtension(folder)
  await using home = await createTestHome({ extensions: [folder] })
  const log: string[] = []
  await using airlock = await createAirlock({
    home: home.folder,
    env: {},
    toolPolicy: () => 'allow',
    log: ({ level, message }) => log.push(`${level} ${message}`),
  })
  const say = async (id: string) => {
    const result = await airlock.tools.invoke(id)
    return `${result.isError} ${result}`
  }
  expect(await say('broken')).toBe(
    'true the result of invoke() of tool broken.parts[0].data must be a string: it is 7',
  )
  expect(await say('deep')).toMatch(
    /^true the result of invoke\(\) of tool deep must be an object: it is undefined/,
  )
  expect(await say('half')).toBe('false a\ufffdb')
  expect((await airlock.tools.invoke('say')).parts).toEqual([
    { contentType: 'text/markdown', data: '# said' },
  ])
  // A mistake of the author's is in the log, with where it was made.
  await vi.waitFor(() => expect(log.join('\n')).toMatch(/error invoke\(\) of tool broken threw TypeError/))
})
