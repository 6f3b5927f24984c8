import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createAirlock } from '../../../host/index.ts'
import { createTestHome } from '../../support/home.ts'
import { buildRawGuest } from '../../support/raw-guest.ts'

/** An extension whose component no SDK would make: it says of its tools, and answers, what a test wants. */
async function rawTools(source: string, ids: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'airlock-raw-tools-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const manifest = {
    id: 'raw',
    name: 'Raw',
    version: '0.1.0',
    contract: 'airlock:llm@0.1.0',
    component: 'raw.wasm',
    tools: ids.map(id => ({ id })),
    permissions: { memoryMiB: 512 },
  }
  await writeFile(join(folder, 'extension.json'), JSON.stringify(manifest))
  await writeFile(join(folder, 'raw.wasm'), await buildRawGuest(source, 'tool-extension'))
  const home = await createTestHome({ extensions: [] })
  const airlock = await createAirlock({ home: home.folder, env: {}, toolPolicy: () => 'allow' })
  onTestFinished(async () => {
    await airlock.close()
    await home[Symbol.asyncDispose]()
  })
  await airlock.load(folder)
  return airlock
}

const describe = `const one = (id, more) => ({ id, displayName: null, modelDescription: 'A tool', parametersSchema: null, ...more })`

test('a description that does not fit is refused by name, and hides no other', async () => {
  const source = `${describe}
    export const tools = {
      tools: () => [
        one('good'), one('stray'), one('broken', { parametersSchema: '{' }), one('list', { parametersSchema: '[]' }),
        one('wrong', { parametersSchema: '{ "type": "array" }' }), one('silent', { modelDescription: '' }),
        one('long', { modelDescription: 'x'.repeat(40000) }), one('twice'), one('twice'),
      ],
      invoke: () => ({ parts: [], isError: false }),
    }`
  const named = ['good', 'broken', 'list', 'wrong', 'silent', 'long', 'twice', 'missing']
  const airlock = await rawTools(source, named)
  const { tools, failures } = await airlock.tools.list()
  expect(tools.map(({ id }) => id)).toEqual(['good'])
  const problems = failures.map(({ error }) => error.message)
  for (const expected of [
    'Cannot offer the tool "stray": tools of extension.json does not name it',
    'Cannot offer the tool "broken": parameters-schema is not JSON',
    'Cannot offer the tool "list": parameters-schema must be a JSON object',
    'Cannot offer the tool "wrong" of extension:raw: inputSchema cannot be used: it must say type: "object"',
    'Cannot offer the tool "silent" of extension:raw: description must say',
    'Cannot offer the tool "long": modelDescription',
    'The extension describes two tools "twice"',
    'There is no tool "missing": the manifest names it, and the extension has none',
  ])
    expect(problems).toContainEqual(expect.stringContaining(expected))
  expect(problems).toHaveLength(8)
})

test.each([
  ['a media type that is none', `[{ contentType: 'text', data: '' }]`, 'parts[0].contentType'],
  [
    'bytes that are no base64',
    `[{ contentType: 'image/png', data: 'not base64!' }]`,
    'parts[0].data must be base64',
  ],
  ['too many parts', `Array(1001).fill({ contentType: 'text/plain', data: '' })`, 'at most 1000 parts'],
  [
    'too much',
    `[{ contentType: 'text/plain', data: 'x'.repeat(33 * 1024 * 1024) }]`,
    'at most 33554432 are allowed',
  ],
])('an outcome with %s is refused, and the next call works', async (_, parts, problem) => {
  const source = `${describe}
    export const tools = {
      tools: () => [one('bad'), one('good')],
      invoke: id => ({ parts: id === 'good' ? [{ contentType: 'text/plain', data: 'well' }] : ${parts}, isError: false }),
    }`
  const airlock = await rawTools(source, ['bad', 'good'])
  await expect(airlock.tools.invoke('bad')).rejects.toMatchObject({
    code: 'tool-failed',
    cause: { code: 'extension-broke-contract', extension: 'raw', message: expect.stringContaining(problem) },
  })
  expect(String(await airlock.tools.invoke('good'))).toBe('well')
})

test('the error of the contract is the error of the call, and a trap costs no more than the call', async () => {
  const source = `${describe}
    export const tools = {
      tools: () => [one('refuse'), one('trap'), one('good')],
      invoke(id) {
        if (id === 'refuse') throw 'not today'
        if (id === 'trap') return Promise.resolve({ parts: [], isError: false })
        return { parts: [{ contentType: 'text/plain', data: 'well' }], isError: false }
      },
    }`
  const airlock = await rawTools(source, ['refuse', 'trap', 'good'])
  await expect(airlock.tools.invoke('refuse')).rejects.toMatchObject({
    code: 'tool-failed',
    message: 'The tool "refuse" failed: not today',
  })
  await expect(airlock.tools.invoke('trap')).rejects.toMatchObject({ cause: { code: 'extension-trapped' } })
  expect(String(await airlock.tools.invoke('good'))).toBe('well')
})

test('a component of providers is none of tools', async () => {
  const source = 'export const provider = minimal'
  const folder = await mkdtemp(join(tmpdir(), 'airlock-raw-tools-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const airlock = await rawTools(`${describe}; export const tools = { tools: () => [], invoke() {} }`, ['x'])
  const manifest = {
    id: 'other',
    name: 'Other',
    version: '0.1.0',
    contract: 'airlock:llm@0.1.0',
    component: 'other.wasm',
    tools: [{ id: 'y' }],
  }
  await writeFile(join(folder, 'extension.json'), JSON.stringify(manifest))
  await writeFile(join(folder, 'other.wasm'), await buildRawGuest(source))
  await airlock.load(folder)
  const { failures } = await airlock.tools.list({ source: 'extension:other' })
  expect(failures).toMatchObject([{ error: { code: 'invalid-component' } }])
})
