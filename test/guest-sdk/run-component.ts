import type * as wit from 'airlock:llm/provider@0.1.0'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { transpileBytes } from '@bytecodealliance/jco-transpile'
import { buildExtension } from '../../guest-sdk/build/build-extension.ts'

export interface LogLine {
  level: string
  message: string
}

export interface HttpAnswer {
  status: number
  headers: [string, string][]
  body: Uint8Array
}

/** What the host would do for the component; each may be replaced by a test. */
export interface HostStubs {
  credentials: Map<string, string>
  env: Record<string, string>
  settings?: { apiUrl?: string; availableModels: { name: string; maxTokens: bigint }[] }
  now: () => number
  fetch: (request: {
    method: string
    url: string
    headers: [string, string][]
    body?: Uint8Array
  }) => HttpAnswer
  /** Thrown instead of an answer. */
  fetchFails?: string
}

type Promised<T> = {
  [Key in keyof T]: T[Key] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Result>
    : never
}

type Provider = Promised<Omit<typeof wit, 'Completion' | 'startCompletion'>> & {
  startCompletion(
    ...args: Parameters<typeof wit.startCompletion>
  ): Promise<Omit<wit.StartedCompletion, 'completion'> & { completion: Promised<wit.Completion> }>
}

export interface RunningComponent extends AsyncDisposable {
  provider: Provider
  log: LogLine[]
  folder: string
  componentFile: string
}

/** Builds an extension of these files with the real tools, and runs it outside of Airlock's own sandbox. */
export async function runComponent(
  files: Record<string, string>,
  stubs: Partial<HostStubs> = {},
): Promise<RunningComponent> {
  return runFolder(await writeExtension(files), stubs)
}

/** The same for a folder, which is removed at the end. */
export async function runFolder(folder: string, stubs: Partial<HostStubs> = {}): Promise<RunningComponent> {
  const { componentFile } = await buildExtension(folder)
  const bytes = await readFile(componentFile)
  const { files: modules } = await transpileBytes(bytes, {
    name: 'guest',
    instantiation: 'async',
    asyncMode: 'jspi',
    asyncImports: ['airlock:llm/http-client@0.1.0#fetch-fallible'],
  })
  const contents = new Map(Object.entries(modules))
  const entry = join(folder, 'run', `${createHash('sha256').update(bytes).digest('hex').slice(0, 8)}.mjs`)
  await mkdir(dirname(entry), { recursive: true })
  await writeFile(entry, contents.get('guest.js') ?? '')
  const { instantiate } = (await import(pathToFileURL(entry).href)) as {
    instantiate(
      compile: (name: string) => Promise<WebAssembly.Module>,
      imports: object,
    ): Promise<{ provider: Provider }>
  }
  const log: LogLine[] = []
  const { provider } = await instantiate(
    async name => WebAssembly.compile(Buffer.from(contents.get(name) ?? '')),
    hostImports(stubs, log),
  )
  return {
    provider,
    log,
    folder,
    componentFile,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

/** An extension's folder in a temporary place. Without an extension.json among the files it gets one with the provider `acme`. */
export async function writeExtension(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'airlock-extension-'))
  const manifest = {
    id: 'acme',
    name: 'Acme',
    version: '0.1.0',
    contract: 'airlock:llm@0.1.0',
    component: 'dist/acme.wasm',
    providers: [{ id: 'acme', name: 'Acme' }],
    tools: [],
    permissions: { network: [], env: [], credentials: 'use', browser: [], memoryMiB: 64 },
  }
  for (const [name, text] of Object.entries({ 'extension.json': JSON.stringify(manifest), ...files })) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  return folder
}

/** A request with everything that the contract wants. */
export function request(parts: Partial<wit.CompletionRequest> = {}): wit.CompletionRequest {
  return {
    messages: [{ role: 'user', content: [{ tag: 'text', val: 'hi' }], cache: false }],
    tools: [],
    stopSequences: [],
    thinkingAllowed: true,
    ...parts,
  }
}

function hostImports(stubs: Partial<HostStubs>, log: LogLine[]): object {
  const { credentials = new Map<string, string>(), env = {}, settings, now = () => 1_700_000_000_000 } = stubs
  const unavailable = () => {
    throw 'not available in this test'
  }
  const fetchFallible = async (wanted: Parameters<HostStubs['fetch']>[0]): Promise<HttpAnswer> => {
    await new Promise(resolve => setImmediate(resolve))
    if (stubs.fetchFails !== undefined) throw stubs.fetchFails
    if (stubs.fetch === undefined) throw 'no server in this test'
    return stubs.fetch(wanted)
  }
  return {
    'airlock:llm/system': {
      log: (level: string, message: string) => log.push({ level, message }),
      randomBytes: (count: number) => crypto.getRandomValues(new Uint8Array(count)),
      now: () => BigInt(now()),
    },
    'airlock:llm/http-client': {
      fetch: unavailable,
      fetchFallible,
      fetchStream: unavailable,
      HttpResponseStream: class {},
    },
    'airlock:llm/llm-provider': {
      getCredential: (id: string) => credentials.get(id),
      storeCredential: (id: string, value: string) => void credentials.set(id, value),
      deleteCredential: (id: string) => void credentials.delete(id),
      getEnvVar: (name: string) => env[name],
      getProviderSettings: () => settings,
      oauthStartWebAuth: (config: { callbackPath: string }) => ({
        callbackUrl: `http://127.0.0.1:4321${config.callbackPath}?code=1`,
        port: 4321,
      }),
      oauthSendHttpRequest: fetchFallible,
      oauthOpenBrowser: unavailable,
    },
  }
}
