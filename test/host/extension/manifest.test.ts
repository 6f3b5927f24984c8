import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parseManifest } from '../../../host/extension/manifest.ts'
import { manifestSchemaText } from '../../../host/extension/manifest-schema.ts'
import { sampleManifest } from './sample-extension.ts'

const file = '/somewhere/extension.json'
const parse = (manifest: unknown) => parseManifest(JSON.stringify(manifest), file)

describe('parseManifest', () => {
  test('reads everything', () => {
    const permissions = {
      network: ['https://api.example.com', 'http://plain.example.com', 'https://*.example.com'],
      env: ['A_KEY'],
      plainEnv: ['REGION'],
      credentials: 'read',
      bodyFields: ['client_secret', 'auth.key'],
      browser: ['https://login.example.com'],
      tools: [],
      memoryMiB: 128,
    }
    const manifest = { ...sampleManifest, tools: [], permissions }
    expect(parse({ $schema: './extension.schema.json', ...manifest })).toEqual(manifest)
    const tools = [{ id: 'look_up', name: 'Look up' }, { id: 'Count-3' }]
    const toolManifest = {
      ...sampleManifest,
      providers: [],
      tools,
      permissions: {
        ...permissions,
        env: [],
        plainEnv: [],
        credentials: 'use',
        bodyFields: [],
        browser: [],
        tools: ['read_file'],
      },
    }
    expect(parse(toolManifest)).toEqual(toolManifest)
  })

  test('permissions that are absent are none', () => {
    const { permissions: _, ...rest } = sampleManifest
    const none = {
      network: [],
      env: [],
      plainEnv: [],
      credentials: 'use',
      bodyFields: [],
      browser: [],
      tools: [],
      memoryMiB: 64,
    }
    expect(parse(rest).permissions).toEqual(none)
    expect(parse({ ...rest, permissions: {} }).permissions).toEqual(none)
  })

  test.each<[Record<string, unknown>, string]>([
    [{ permisions: {} }, 'unknown key "permisions": did you mean "permissions"?'],
    [{ permissions: { netwrok: [] } }, 'unknown key "permissions.netwrok": did you mean "network"?'],
    [
      { providers: [{ id: 'a', name: 'A', icons: 'a.svg' }] },
      'unknown key "providers[0].icons": did you mean "icon"?',
    ],
    [{ id: undefined }, 'id is missing: expected a string'],
    [{ id: 'Sample' }, 'id: "Sample" must be lower-case letters, digits and single dashes'],
    [{ id: '../x' }, 'id: "../x" must be lower-case letters'],
    [{ id: 'a--b' }, 'single dashes'],
    [{ id: 'a'.repeat(65) }, 'at most 64 characters'],
    [{ id: 7 }, 'id must be a string, not 7'],
    [{ name: '' }, 'must not be empty'],
    [{ name: 'Sam\u001b[2Jple' }, 'no control or formatting characters'],
    [{ name: 'Sam\u202eelp' }, 'no control or formatting characters'],
    [{ version: '1.0' }, 'version: "1.0" must be a version such as "1.0.0"'],
    [
      { contract: 'airlock:llm@0.2.0' },
      'contract: "airlock:llm@0.2.0" is not a contract that this host speaks: it speaks airlock:llm@0.1.0',
    ],
    [{ contract: 'airlock:llm@0x1x0' }, 'it speaks airlock:llm@0.1.0'],
    [{ component: '../sample.wasm' }, "inside the extension's folder"],
    [{ component: '/sample.wasm' }, "inside the extension's folder"],
    [{ component: 'dist\\sample.wasm' }, "inside the extension's folder"],
    [{ component: 'C:/sample.wasm' }, "inside the extension's folder"],
    [{ component: 'dist/../../sample.wasm' }, "inside the extension's folder"],
    [{ component: 'dist/./sample.wasm' }, "inside the extension's folder"],
    [{ component: 'dist/sample.js' }, 'path of a .wasm file'],
    [{ providers: [{ id: 'a', name: 'A', icon: 'https://x/a.svg' }] }, 'path of a .svg file'],
    [{ providers: [], tools: [] }, 'name what the extension brings'],
    [{ providers: undefined }, 'name what the extension brings'],
    [
      { tools: [{ id: 'a' }] },
      'tools[0].id: "a" stands beside "providers": an extension brings one or the other',
    ],
    [
      { providers: [], tools: [{ id: 'a' }], permissions: { env: ['A'] } },
      'permissions.env[0]: "A" is for extensions that bring providers: no secret reaches a tool',
    ],
    [
      { providers: [], tools: [{ id: 'a' }], permissions: { credentials: 'read' } },
      'permissions.credentials: "read" is for extensions that bring providers',
    ],
    [{ permissions: { tools: ['a'] } }, 'permissions.tools[0]: "a" is for extensions that bring tools'],
    [{ providers: [], tools: [{ id: 'a' }], permissions: { tools: ['a b'] } }, 'must be 1 to 64 letters'],
    [
      {
        providers: [
          { id: 'a', name: 'A' },
          { id: 'a', name: 'B' },
        ],
      },
      'providers[1]: "a" is there twice',
    ],
    [{ permissions: { network: ['https://api.example.com/v1'] } }, 'write "https://api.example.com"'],
    [{ permissions: { network: ['https://*.com'] } }, 'at least two labels'],
    [
      { permissions: { browser: ['file:///etc'] } },
      'permissions.browser[0]: "file:///etc" must begin with https://',
    ],
    [{ permissions: { network: 'https://api.example.com' } }, 'permissions.network must be an array, not'],
    [
      { permissions: { network: ['https://a.example', 'https://a.example'] } },
      'permissions.network[1]: "https://a.example" is there twice',
    ],
    [
      { permissions: { network: Array.from({ length: 65 }, (_, n) => `https://a${n}.example`) } },
      'at most 64 entries',
    ],
    [{ permissions: { env: ['A=B'] } }, 'is not the name of an environment variable'],
    [{ permissions: { env: ['A'], plainEnv: ['A'] } }, 'permissions.plainEnv[0]: "A" stands in "env" too'],
    [
      { permissions: { credentials: 'plain' } },
      'permissions.credentials must be "use" or "read", not "plain"',
    ],
    [{ permissions: { bodyFields: ['a b'] } }, 'must be the name of a body field'],
    [{ providers: [{ id: 'a', name: 'A', network: ['https://b.example'] }] }, 'providers[0].network[0]'],
    [{ providers: [{ id: 'a', name: 'A', env: ['B'] }] }, 'is not in permissions.env'],
    [{ permissions: { memoryMiB: 2 } }, 'permissions.memoryMiB: 2 must be at least 4'],
    [{ permissions: { memoryMiB: 4096 } }, 'permissions.memoryMiB: 4096 must be at most 1024'],
    [{ permissions: { memoryMiB: 64.5 } }, 'must be a whole number'],
    [{ permissions: { memoryMiB: '64' } }, 'permissions.memoryMiB must be a number, not "64"'],
  ])('%j: %s', (change, message) => {
    expect(() => parse({ ...sampleManifest, ...change })).toThrow(
      expect.objectContaining({
        code: 'invalid-manifest',
        file,
        message: expect.stringMatching(new RegExp(`^${RegExp.escape(file)}: .*${RegExp.escape(message)}`)),
      }),
    )
  })

  test.each(['null', '[]', '"x"', '{', ''])('%j is no manifest', text => {
    expect(() => parseManifest(text, file)).toThrow(expect.objectContaining({ code: 'invalid-manifest' }))
  })
})

test('extension.schema.json is what the checks say', () => {
  const published = new URL('../../../host/extension/extension.schema.json', import.meta.url)
  expect(readFileSync(published, 'utf8')).toBe(manifestSchemaText())
  const schema = JSON.parse(manifestSchemaText())
  expect(schema.additionalProperties).toBe(false)
  expect(schema.required).toEqual(['id', 'name', 'version', 'contract', 'component'])
})
