import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { resolveSandboxLimits } from '../../../host/sandbox/limits.ts'
import { openProcess } from '../../../host/sandbox/process-channel.ts'
import { createSupervisor } from '../../../host/sandbox/supervisor.ts'
import { openThread } from '../../../host/sandbox/thread-channel.ts'
import { transpileComponent } from '../../../host/sandbox/transpile.ts'
import { createWasi } from '../../../host/sandbox/wasi.ts'
import { buildStarlingGuest } from '../../support/starling-guest.ts'

const MEMORY_MIB = 128
const BUILD_MS = 180_000

const guest = `
export const tools = {
  tools: () => [],
  invoke() {
    const parts = [Date.now(), Math.random(), performance.now()]
    return { parts: parts.map(part => ({ contentType: 'text/plain', data: String(part) })), isError: false }
  },
}
`

function prepare(component: Uint8Array, cacheFolder: string) {
  return transpileComponent({
    cacheFolder,
    digest: createHash('sha256').update(component).digest('hex'),
    read: async () => component,
    memoryMiB: MEMORY_MIB,
    world: 'tools',
  })
}

async function makeCacheFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'airlock-test-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

test.each([
  ['a thread', openThread],
  ['a process', openProcess],
])(
  'a guest that imports clocks and random numbers of WASI runs in %s',
  async (_, open) => {
    const component = await buildStarlingGuest(guest, ['stdio', 'http', 'fetch-event'])
    const cacheFolder = await makeCacheFolder()
    const { imports } = await prepare(component, cacheFolder)
    expect(imports).toEqual(expect.arrayContaining(['wasi:clocks/wall-clock', 'wasi:random/random']))
    const supervisor = createSupervisor({
      extension: 'starling',
      world: 'tools',
      prepare: () => prepare(component, cacheFolder),
      open: open(cacheFolder),
      memoryMiB: MEMORY_MIB,
      limits: resolveSandboxLimits({}),
      facts: { credentials: {}, env: {}, settings: {} },
      capability: async () => ({ ok: false, error: 'nothing is offered here' }),
      release() {},
      log() {},
    })
    onTestFinished(() => supervisor.close())
    const before = Date.now()
    const outcome = await supervisor.call('invoke', ['any', { parameters: '{}', tokenBudget: undefined }])
    const [now, random, elapsed] = (outcome as { parts: { data: string }[] }).parts.map(part =>
      Number(part.data),
    )
    expect(now).toBeGreaterThanOrEqual(before)
    expect(now).toBeLessThanOrEqual(Date.now())
    expect(random).toBeGreaterThan(0)
    expect(random).toBeLessThan(1)
    expect(elapsed).toBeGreaterThanOrEqual(0)
  },
  BUILD_MS,
)

test(
  'a guest that imports files and terminals of WASI is refused, and told which',
  async () => {
    const component = await buildStarlingGuest(guest, ['http', 'fetch-event'])
    await expect(prepare(component, await makeCacheFolder())).rejects.toMatchObject({
      code: 'invalid-component',
      message: expect.stringContaining('wasi:filesystem/types'),
      imports: expect.arrayContaining(['wasi:filesystem/types', 'wasi:cli/stdin']),
    })
  },
  BUILD_MS,
)

test('what a guest writes to standard error becomes lines of its log, and too many random bytes are refused', async () => {
  const lines: string[] = []
  const wasi = await createWasi(({ message }) => lines.push(message))
  const { getStderr } = wasi['wasi:cli/stderr'] as { getStderr(): { write(bytes: Uint8Array): void } }
  for (const piece of ['one\ntw', 'o\n\nthr', `ee\n${'x'.repeat(9_000)}`])
    getStderr().write(Buffer.from(piece))
  expect(lines).toEqual(['one', 'two', 'three', 'x'.repeat(8_192)])
  const { getRandomBytes } = wasi['wasi:random/random'] as { getRandomBytes(count: bigint): Uint8Array }
  expect(getRandomBytes(70_000n)).toHaveLength(70_000)
  expect(() => getRandomBytes(2n ** 40n)).toThrow('at most 1048576 random bytes')
})
