import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAirlockProvider } from '../../../../host/adapters/ai-sdk/index.ts'
import { repoRoot } from '../../../support/repo-root.ts'
import { type Bench, openBench, says } from './bench.ts'
import { SETTINGS } from './sdks.ts'

let bench: Bench
beforeAll(async () => {
  bench = await openBench('openai-compatible', {
    settings: { aliases: { quick: 'openai-compatible/m' } },
  })
})
afterAll(() => bench[Symbol.asyncDispose]())

const hello = () => says(bench.subject, { pieces: [{ text: 'Hello.' }], stop: 'end-turn' })

describe.each(SETTINGS)('$title', ({ sdk, specificationVersion, major }) => {
  const provider = () => createAirlockProvider(bench.airlock, { specificationVersion })

  test('a model has its version, its id, and a provider whose first part is the name', () => {
    const model = createAirlockProvider(bench.airlock, { specificationVersion, name: 'mine' })('a/b:c/d')
    expect(model).toMatchObject({
      specificationVersion,
      modelId: 'a/b:c/d',
      provider: 'mine.chat',
      supportedUrls: {},
    })
    expect(
      Object.values(model.supportedUrls)
        .flat()
        .filter(({ flags }) => /[gy]/.test(flags)),
    ).toEqual([])
  })

  test('it answers from a registry, by an id with slashes and colons', async () => {
    const registry = sdk.createProviderRegistry({ airlock: provider() })
    for (const id of [
      `airlock:${bench.model}`,
      'airlock:openai-compatible:openai-compatible/m',
      'airlock:quick',
    ]) {
      bench.script(hello())
      const { text } = await sdk.generateText({ model: registry.languageModel(id), prompt: 'Hi.' })
      expect(text).toBe('Hello.')
      expect(bench.body().model).toBe('m')
    }
  })

  test('the registry may separate by something else', async () => {
    const registry = sdk.createProviderRegistry({ airlock: provider() }, { separator: ' > ' })
    bench.script(hello())
    const model = registry.languageModel(`airlock > ${bench.model}`)
    expect((await sdk.generateText({ model, prompt: 'Hi.' })).text).toBe('Hello.')
  })

  test('for what is no language model it has no model', () => {
    const registry = sdk.createProviderRegistry({ airlock: provider() })
    const embeddings = major === 5 ? 'textEmbeddingModel' : 'embeddingModel'
    expect(() => registry.imageModel('airlock:x')).toThrow(noSuchModel(sdk))
    expect(() => registry[embeddings]?.('airlock:x')).toThrow(noSuchModel(sdk))
    for (const kind of ['transcriptionModel', 'speechModel', 'rerankingModel'] as const)
      expect(() => provider()[kind]('x')).toThrow(noSuchModel(sdk))
  })

  test('raw chunks are the events, each before what it became', async () => {
    bench.script(hello())
    const result = sdk.streamText({ model: provider()(bench.model), prompt: 'Hi.', includeRawChunks: true })
    const raw: unknown[] = []
    for await (const { type, rawValue } of result.fullStream) if (type === 'raw') raw.push(rawValue)
    expect(raw.at(0)).toEqual({ type: 'started' })
    expect(raw.at(-1)).toEqual({ type: 'stop', reason: 'end-turn' })
    bench.script(hello())
    const quiet = sdk.streamText({ model: provider()(bench.model), prompt: 'Hi.' })
    for await (const { type } of quiet.fullStream) expect(type).not.toBe('raw')
  })
})

test('which version of the SDK takes which version of the contract', async () => {
  for (const [major, taken] of [
    [5, ['v2']],
    [6, ['v2', 'v3']],
    [7, ['v2', 'v3', 'v4']],
  ] as const) {
    const sdk = SETTINGS.find(setting => setting.major === major)?.sdk
    for (const specificationVersion of ['v2', 'v3', 'v4'] as const) {
      bench.script(hello())
      const model = createAirlockProvider(bench.airlock, { specificationVersion })(bench.model)
      const answer = sdk?.generateText({ model, prompt: 'Hi.' })
      const isTaken = (taken as readonly string[]).includes(specificationVersion)
      if (isTaken) await expect(answer).resolves.toMatchObject({ text: 'Hello.' })
      else await expect(answer).rejects.toMatchObject({ name: 'AI_UnsupportedModelVersionError' })
    }
  }
})

test('the default is what versions 6 and 7 take', () => {
  expect(createAirlockProvider(bench.airlock).specificationVersion).toBe('v3')
})

test.each([
  [
    { specificationVersion: 'V4' as 'v4' },
    'specificationVersion "V4": it must be "v2", "v3" or "v4", in lower case',
  ],
  [{ name: 'my.airlock' }, 'name a provider "my.airlock"'],
  [{ name: '' }, 'name a provider ""'],
])('%j is refused', (options, said) => {
  expect(() => createAirlockProvider(bench.airlock, options)).toThrow(
    expect.objectContaining({ code: 'invalid-option', message: expect.stringContaining(said) }),
  )
})

test('nothing of the SDK is loaded with it', () => {
  const folder = join(repoRoot, 'host/adapters/ai-sdk')
  for (const file of readdirSync(folder))
    expect(readFileSync(join(folder, file), 'utf8')).not.toMatch(/from '(?:ai|@ai-sdk)/)
  const program = `import { createAirlockProvider } from '@airlock/host/ai-sdk'
    console.log(typeof createAirlockProvider)`
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: repoRoot,
    encoding: 'utf8',
  })
  expect(printed.trim()).toBe('function')
})

function noSuchModel(sdk: (typeof SETTINGS)[number]['sdk']) {
  return expect.toSatisfy((error: unknown) => sdk.NoSuchModelError.isInstance(error))
}
