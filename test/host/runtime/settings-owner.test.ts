import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAirlock } from '../../../host/index.ts'
import { startScriptedServer } from '../../servers/scripted.ts'
import { buildRawGuest } from '../../support/raw-guest.ts'

// Lists one model: what came of a request to the address that its settings name, or to the one that it was told.
const GUEST = `
import { getProviderSettings } from 'airlock:llm/llm-provider@0.1.0'
import { fetchFallible } from 'airlock:llm/http-client@0.1.0'
const model = id => ({ id, name: id, family: null, maxTokenCount: 1, maxOutputTokens: null, pricing: null, isDefault: false, isDefaultFast: false,
  capabilities: { supportsImages: false, supportsFiles: false, supportsTools: false, supportsToolChoiceAuto: false, supportsToolChoiceAny: false, supportsToolChoiceNone: false,
  supportsToolChoiceTool: false, supportsParallelToolCalls: false, supportsThinking: false, supportsStructuredOutput: false, supportsStreaming: true, toolInputFormat: 'json-schema', maxTools: null } })
export const provider = { ...minimal, models(provider) {
  const url = getProviderSettings(provider)?.apiUrl
  if (url == null) return [model('no settings')]
  fetchFallible({ method: 'get', url, headers: [], body: null, redirectPolicy: { tag: 'no-follow' } })
  return [model('reached')]
} }
`

let home: string
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'airlock-owner-'))
})
afterAll(() => rm(home, { recursive: true, force: true }))

async function extension(id: string): Promise<string> {
  const folder = join(home, id)
  await mkdir(join(folder, 'dist'), { recursive: true })
  const component = 'dist/guest.wasm'
  const manifest = { id, name: id, version: '1.0.0', contract: 'airlock:llm@0.1.0', component }
  await writeFile(
    join(folder, 'extension.json'),
    JSON.stringify({ ...manifest, providers: [{ id: 'acme', name: 'Acme' }] }),
  )
  await writeFile(join(folder, component), await buildRawGuest(GUEST))
  return folder
}

test("settings for a provider's name open the way for the one extension that has it, and for no namesake", async () => {
  await using server = await startScriptedServer({
    headers: { 'content-type': 'application/json' },
    body: ['{}'],
  })
  const settings = { providers: { acme: { apiUrl: server.url } } }
  const listed = async (folders: string[]) => {
    await using airlock = await createAirlock({ home: join(home, 'home'), env: {}, settings })
    for (const folder of folders) await airlock.load(folder)
    const { models, failures } = await airlock.models()
    expect(failures).toEqual([])
    return models.map(({ extension, id }) => `${extension}: ${id}`)
  }
  const [acme, other, third] = await Promise.all(['acme', 'other', 'third'].map(extension))
  expect(await listed([other!])).toEqual(['other: reached'])
  expect(await listed([acme!, other!])).toEqual(['acme: reached', 'other: no settings'])
  expect(await listed([other!, third!])).toEqual(['other: reached', 'third: no settings'])
})
