import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { airlock } from '../../support/cli.ts'
import { createTestHome, type TestHome } from '../../support/home.ts'
import { mirrorExtension } from '../../systems/mirror-extension.ts'
import { createServiceHome, type ServiceHome } from './service-home.ts'

// Each command is a process of its own; on a busy machine a few of them take a while.
vi.setConfig({ testTimeout: 120_000 })

let fixture: ServiceHome
beforeAll(async () => {
  fixture = await createServiceHome()
})
afterAll(() => fixture[Symbol.asyncDispose]())

describe('airlock models', () => {
  it("lists the service's models as a table", async () => {
    const { code, stdout, stderr } = await airlock(['models'], { env: fixture.home.env })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const [headings, first, second] = stdout.split('\n')
    expect(headings).toMatch(/^MODEL +NAME +CONTEXT +CAPABILITIES$/)
    expect(first).toMatch(/^openai-compatible\/parrot-1 +.*\b32k\b.*tools/)
    expect(second).toMatch(/^openai-compatible\/parrot-1-mini +.*\b8k\b/)
  })

  it('prints one model a line with --json', async () => {
    const { code, lines } = await airlock(['models', 'openai-compatible', '--json'], {
      env: fixture.home.env,
    })
    expect(code).toBe(0)
    expect(lines.map(line => JSON.parse(line).reference)).toEqual([
      'openai-compatible/parrot-1',
      'openai-compatible/parrot-1-mini',
      'openai-compatible/owl-1',
    ])
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      id: 'parrot-1',
      provider: 'openai-compatible',
      extension: 'openai-compatible',
      maxTokenCount: 32768,
      capabilities: { supportsStreaming: true },
    })
  })

  describe('of a provider that tells prices and families', () => {
    let mirror: TestHome
    beforeAll(async () => {
      mirror = await createTestHome({ extensions: [await mirrorExtension()] })
    })
    afterAll(() => mirror[Symbol.asyncDispose]())
    const ids = (lines: readonly string[]) => lines.map(line => JSON.parse(line).id)

    it('shows what tokens cost, and nothing where that is not known', async () => {
      const { code, lines } = await airlock(['models'], { env: mirror.env })
      expect(code).toBe(0)
      expect(lines[0]).toMatch(/^MODEL +NAME +CONTEXT +PRICE PER M TOKENS +CAPABILITIES$/)
      expect(lines[1]).toMatch(/^mirror\/large .*\$2 in, \$10 out/)
      expect(lines[2]).not.toContain('$')
    })

    it('prints prices with --json', async () => {
      const { lines } = await airlock(['models', '--json'], { env: mirror.env })
      expect(lines.map(line => JSON.parse(line).pricing)).toEqual([
        { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 },
        undefined,
        undefined,
      ])
    })

    it.each([
      [
        ['--family', 'mirror'],
        ['large', 'small'],
      ],
      [
        ['--capability', 'images'],
        ['large', 'google'],
      ],
      [
        ['--capability', 'supportsImages', 'mirror'],
        ['large', 'google'],
      ],
      [['--family', 'mirror', '--capability', 'images', '--capability', 'tools'], ['large']],
    ])('%j', async (args, wanted) => {
      const { code, lines } = await airlock(['models', '--json', ...args], { env: mirror.env })
      expect({ code, ids: ids(lines) }).toEqual({ code: 0, ids: wanted })
    })

    it('exits with 1 where none fits, and with 2 for a capability that there is not', async () => {
      expect(
        await airlock(['models', '--capability', 'structured-output'], { env: mirror.env }),
      ).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('No model fits') })
      expect(await airlock(['models', '--capability', 'tool'], { env: mirror.env })).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining('did you mean "supportsTools"?'),
      })
    })
  })

  it('exits with 2 for an unknown provider and names the nearest', async () => {
    const { code, stdout, stderr } = await airlock(['models', 'openai-compatibl'], { env: fixture.home.env })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('did you mean "openai-compatible"?')
  })

  it('exits with 1 where the service is down', async () => {
    await using down = await createServiceHome()
    await down.service.close()
    const { code, stdout, stderr } = await airlock(['models'], { env: down.home.env })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^airlock: .+\n$/)
  })

  it('exits with 3 where a sign-in is needed', async () => {
    await using locked = await createServiceHome({ key: 'secret' })
    const { code, stdout } = await airlock(['models'], { env: locked.home.env })
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
  })

  it('says how to begin where nothing is installed', async () => {
    await using empty = await createTestHome({ extensions: [] })
    expect(await airlock(['models'], { env: empty.env })).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'airlock: No extension is installed. Begin with: airlock install openai-compatible\n',
    })
  })
})
