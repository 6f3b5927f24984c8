import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInstalledExtensions } from '../../host/extension/installed.ts'
import { resolveHome } from '../../host/home/home.ts'
import { repoRoot } from './repo-root.ts'

export interface TestHome extends AsyncDisposable {
  /** What `AIRLOCK_HOME` and `createAirlock({ home })` take. */
  folder: string
  /** An environment that knows this home, and nothing of the machine but `PATH`. */
  env: NodeJS.ProcessEnv
}

export interface TestHomeOptions {
  /** Where openai-compatible finds its service, e.g. `server.url`: `/v1` is added. */
  serviceUrl?: string
  /** The models of that service. Default: one called `m`. */
  models?: readonly string[]
  /** More settings, on top of those. */
  settings?: Record<string, unknown>
  /** Folders of extensions to install. Default: openai-compatible. */
  extensions?: readonly string[]
}

export const openaiCompatible = join(repoRoot, 'extensions/openai-compatible')

/** A home of its own for a test, with extensions installed and settings written; gone afterwards. */
export async function createTestHome(options: TestHomeOptions = {}): Promise<TestHome> {
  const { serviceUrl, models = ['m'], settings = {}, extensions = [openaiCompatible] } = options
  const folder = await mkdtemp(join(tmpdir(), 'airlock-test-'))
  const home = resolveHome({ home: folder, env: {} })
  await shareCache(home.cache)
  const providers = serviceUrl && {
    'openai-compatible': {
      apiUrl: `${serviceUrl}/v1`,
      availableModels: models.map(name => ({ name, maxTokens: 32_768 })),
    },
  }
  // A busy machine stretches every call: tests that are about limits set their own.
  const limits = { computeMs: 30_000 }
  await writeFile(home.settingsFile, JSON.stringify({ limits, ...(providers && { providers }), ...settings }))
  const installed = createInstalledExtensions(home)
  for (const extension of extensions) await installed.install(extension, { agree: () => true })
  return {
    folder,
    env: { PATH: process.env.PATH, AIRLOCK_HOME: folder, NO_COLOR: '1' },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 3 }),
  }
}

/** Transpiling takes most of a second and depends on the bytes alone: once is enough for all tests. */
async function shareCache(cache: string): Promise<void> {
  const shared = join(repoRoot, 'node_modules/.cache/airlock-tests')
  await mkdir(shared, { recursive: true, mode: 0o700 })
  await symlink(shared, cache, 'dir')
}
