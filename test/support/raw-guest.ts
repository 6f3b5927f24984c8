import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { componentize } from 'componentize-qjs'

const root = join(import.meta.dirname, '../..')
const cache = join(root, 'node_modules/.cache/airlock-test-guests')

// Every export of the contract, doing as little as it may: a guest under test overrides what it is about.
const MINIMAL = `
const unsupported = message => ({ kind: 'unsupported', message, status: null, code: null, retryAfterMs: null })
class Completion {
  decode(frames) { return [] }
  finish() { return [] }
  reject(response) { return { ...unsupported('status ' + response.status), status: response.status } }
}
const minimal = {
  Completion,
  providers: () => [{ id: 'raw', name: 'Raw', icon: null }],
  models: () => [],
  getCacheConfiguration: () => null,
  countTokens: () => { throw unsupported('count') },
  signInOptions: () => [],
  settingsMarkdown: () => null,
  isAuthenticated: () => true,
  signIn() {}, signOut() {},
  refreshCredential: () => false,
  startDeviceFlow: () => { throw unsupported('device flow') },
  pollDeviceFlow: () => ({ tag: 'pending' }),
  startCompletion: () => ({ request: null, framing: 'none', completion: new Completion() }),
}
`

/**
 * A component of a guest written against the bare contract, without the SDK: for guests that no SDK would make.
 * `source` is JavaScript that ends with `export const provider = { ...minimal, ... }`, or `export const tools = ...`.
 */
export async function buildRawGuest(
  source: string,
  world: 'provider-extension' | 'tool-extension' = 'provider-extension',
): Promise<Uint8Array> {
  const jsSource = MINIMAL + source
  const wit = await readFile(
    join(root, world === 'tool-extension' ? 'wit/tools.wit' : 'wit/llm-provider.wit'),
  )
  const file = join(cache, `${createHash('sha256').update(jsSource).update(wit).digest('hex')}.wasm`)
  if (existsSync(file)) return readFile(file)
  const { component } = await componentize({
    witPath: join(root, 'wit'),
    world,
    jsSource,
    sync: true,
    optSize: true,
    stubWasi: true,
  })
  await mkdir(cache, { recursive: true })
  await writeFile(`${file}.${process.pid}`, component)
  await rename(`${file}.${process.pid}`, file)
  return component
}
