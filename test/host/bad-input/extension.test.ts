import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AirlockError, InvalidComponentError, InvalidFileError } from '../../../host/errors.ts'
import { type Airlock, createAirlock } from '../../../host/index.ts'
import { modelList } from '../../servers/model-list.ts'
import { type ScriptedServer, startScriptedServer } from '../../servers/scripted.ts'
import { airlock as cli } from '../../support/cli.ts'
import { createTestHome, openaiCompatible, type TestHome } from '../../support/home.ts'

/** A component without imports and exports, and a core module: the least that is well-formed. */
const EMPTY_COMPONENT = Uint8Array.of(0, 0x61, 0x73, 0x6d, 0x0d, 0, 1, 0)
const CORE_MODULE = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0)

let server: ScriptedServer
let home: TestHome
let airlock: Airlock
const resources = new AsyncDisposableStack()

beforeAll(async () => {
  server = resources.use(
    await startScriptedServer(({ method }) => (method === 'GET' ? modelList() : { body: [GOOD_ANSWER] })),
  )
  home = resources.use(await createTestHome({ serviceUrl: server.url }))
  airlock = resources.use(await createAirlock({ home: home.folder, env: {} }))
})

afterAll(() => resources.disposeAsync())

const GOOD_ANSWER =
  'data: {"id":"1","choices":[{"index":0,"delta":{"content":"fine"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'

interface BadExtension {
  name: string
  /** Changes a copy of openai-compatible, called `bad`. */
  spoil(folder: string, component: Buffer): Promise<void>
  type: new (...args: never[]) => AirlockError
  code: string
  message: RegExp
}

const table: BadExtension[] = [
  {
    name: 'a component that is missing',
    spoil: folder => rm(join(folder, 'dist'), { recursive: true }),
    type: InvalidComponentError,
    code: 'invalid-component',
    message: /bad\.wasm is missing/,
  },
  {
    name: 'bytes that are no WebAssembly',
    spoil: folder => writeComponent(folder, Buffer.from('<!doctype html><title>404</title>')),
    type: InvalidComponentError,
    code: 'invalid-component',
    message: /bad\.wasm is no WebAssembly/,
  },
  {
    name: 'an empty file',
    spoil: folder => writeComponent(folder, Buffer.alloc(0)),
    type: InvalidComponentError,
    code: 'invalid-component',
    message: /bad\.wasm has 0 bytes/,
  },
  {
    name: 'a component that is cut off',
    spoil: (folder, component) => writeComponent(folder, component.subarray(0, component.length / 2)),
    type: InvalidComponentError,
    code: 'invalid-component',
    message: /./,
  },
  {
    name: 'a core module',
    spoil: folder => writeComponent(folder, CORE_MODULE),
    type: InvalidComponentError,
    code: 'invalid-component',
    message: /is a core module, not a component/,
  },
  {
    name: 'a component that exports nothing',
    spoil: folder => writeComponent(folder, EMPTY_COMPONENT),
    type: InvalidComponentError,
    code: 'invalid-component',
    message: /./,
  },
  {
    name: 'a component of another contract version',
    // The same length, so that the binary stays well-formed.
    spoil: (folder, component) =>
      writeComponent(
        folder,
        Buffer.from(component.toString('latin1').replaceAll('@0.1.0', '@0.9.0'), 'latin1'),
      ),
    type: InvalidComponentError,
    code: 'invalid-component',
    message: /0\.9\.0/,
  },
  {
    name: 'a manifest of another contract version',
    spoil: folder => changeManifest(folder, manifest => ({ ...manifest, contract: 'airlock:llm@9.0.0' })),
    type: InvalidFileError,
    code: 'invalid-manifest',
    message: /extension\.json.*contract.*airlock:llm@0\.1\.0/s,
  },
  {
    name: 'a manifest with an unknown key',
    spoil: folder => changeManifest(folder, manifest => ({ ...manifest, permisions: {} })),
    type: InvalidFileError,
    code: 'invalid-manifest',
    message: /extension\.json.*"permisions".*"permissions"/s,
  },
  {
    name: 'a manifest that is not JSON',
    spoil: folder => writeFile(join(folder, 'extension.json'), '{ "id": "bad", '),
    type: InvalidFileError,
    code: 'invalid-manifest',
    message: /extension\.json/,
  },
  {
    name: 'a folder without a manifest',
    spoil: folder => rm(join(folder, 'extension.json')),
    type: InvalidFileError,
    code: 'invalid-manifest',
    message: /extension\.json is missing/,
  },
]

describe('an extension that cannot be loaded', () => {
  test.each(table)('$name', async ({ spoil, type, code, message }) => {
    await using bad = await badExtension(spoil)
    const error = await firstError(bad.folder)
    expect(error).toBeInstanceOf(type)
    expect(error).toMatchObject({ code })
    expect(error.message).toMatch(message)
    await expectGoodAnswer()
  })

  test.each([...table.filter(row => /core module|unknown key/.test(row.name))])(
    'airlock install: $name: exit 1',
    async ({ spoil, message }) => {
      await using bad = await badExtension(spoil)
      const { code, stdout, stderr } = await cli(['install', bad.folder, '--yes'], { env: home.env })
      expect(stderr).toMatch(message)
      expect(stderr).not.toMatch(/^\s+at /m)
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      const list = await cli(['list', '--json'], { env: home.env })
      expect(list.stdout).not.toContain('"bad"')
      expect(list.code).toBe(0)
    },
  )
})

describe('settings with a typo', () => {
  test('the file, the key and the nearest known key are named, exit 1', async () => {
    await using other = await createTestHome({ settings: { provders: {} } })
    const opening = createAirlock({ home: other.folder, env: {} })
    await expect(opening).rejects.toBeInstanceOf(InvalidFileError)
    await expect(opening).rejects.toMatchObject({ code: 'invalid-settings' })
    await expect(opening).rejects.toThrow(/settings\.json.*"provders".*"providers"/s)

    const { code, stderr } = await cli(['models'], { env: other.env })
    expect(stderr).toMatch(/settings\.json.*"provders".*"providers"/s)
    expect(code).toBe(1)
  })
})

describe('a model that nobody has', () => {
  test('the nearest names are told, exit 2', async () => {
    const completion = airlock.complete({ ...request, model: 'openai-compatibel/m' })
    await expect(completion.result()).rejects.toMatchObject({
      code: 'unknown-model',
      nearest: expect.arrayContaining(['openai-compatible/m']) as unknown,
    })
    await expectGoodAnswer()

    const { code, stderr } = await cli(['complete', '-m', 'openai-compatibel/m', 'Hi'], { env: home.env })
    expect(stderr).toContain('openai-compatible/m')
    expect(code).toBe(2)
  })
})

const request = { model: 'openai-compatible/m', messages: [{ role: 'user' as const, content: 'Hi' }] }

/** Where it is refused is not told: when it is loaded, or when it is first asked. */
async function firstError(folder: string): Promise<Error> {
  await using other = await createAirlock({ home: home.folder, env: {} })
  try {
    await other.load(folder)
    const { failures } = await other.models({ provider: 'bad' })
    const [failure] = failures
    if (failure) return failure.error
  } catch (error) {
    if (error instanceof Error) return error
  }
  throw new Error('It was loaded')
}

async function expectGoodAnswer(): Promise<void> {
  expect(await airlock.complete(request).result()).toMatchObject({ text: 'fine', stopReason: 'end-turn' })
}

async function badExtension(spoil: BadExtension['spoil']): Promise<{ folder: string } & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'airlock-bad-'))
  const component = await readFile(join(openaiCompatible, 'dist/openai-compatible.wasm'))
  await cp(join(openaiCompatible, 'extension.json'), join(folder, 'extension.json'))
  await cp(join(openaiCompatible, 'icons'), join(folder, 'icons'), { recursive: true, force: true }).catch(
    () => {},
  )
  await cp(join(openaiCompatible, 'dist'), join(folder, 'dist'), { recursive: true })
  await changeManifest(folder, manifest => ({
    ...manifest,
    id: 'bad',
    name: 'Bad',
    component: 'dist/bad.wasm',
    providers: [{ id: 'bad', name: 'Bad' }],
  }))
  await writeComponent(folder, component)
  await spoil(folder, component)
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}

function writeComponent(folder: string, bytes: Uint8Array): Promise<void> {
  return writeFile(join(folder, 'dist/bad.wasm'), bytes)
}

async function changeManifest(
  folder: string,
  change: (manifest: Record<string, unknown>) => Record<string, unknown>,
): Promise<void> {
  const file = join(folder, 'extension.json')
  const manifest = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>
  await writeFile(file, JSON.stringify(change(manifest)))
}
