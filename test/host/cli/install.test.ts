import { appendFile, cp, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { airlock } from '../../support/cli.ts'
import { createTestHome, openaiCompatible, type TestHome } from '../../support/home.ts'

// Each command is a process of its own; on a busy machine a few of them take a while.
vi.setConfig({ testTimeout: 120_000 })

let home: TestHome
beforeEach(async () => {
  home = await createTestHome({ extensions: [] })
  onTestFinished(() => home[Symbol.asyncDispose]())
})
const run = (...args: string[]) => airlock(args, { env: home.env })

describe('airlock install', () => {
  it('refuses with 4 where nobody can be asked, after showing what it is about', async () => {
    const { code, stdout, stderr } = await run('install', 'openai-compatible')
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' })
    expect(stderr).toContain('OPENAI_COMPATIBLE_API_KEY (used, never seen)')
    expect(stderr).toMatch(/SHA-256 +[0-9a-f]{64}\n/)
    expect(stderr.trimEnd().split('\n').at(-1)).toMatch(/^airlock: Not installed: .*add --yes to agree$/)
    for (const line of stderr.split('\n').slice(0, -2)) expect(line.length).toBeLessThanOrEqual(80)
    expect((await run('list', '--json')).stdout).toBe('')
  })

  it('--yes agrees; list, permissions and remove know it', async () => {
    expect(await run('install', 'openai-compatible', '--yes')).toMatchObject({
      code: 0,
      stdout: 'Installed openai-compatible 0.1.0.\n',
    })
    const { stdout } = await run('list')
    expect(stdout).toMatch(
      /^EXTENSION +VERSION +BRINGS +STATE\nopenai-compatible +0\.1\.0 +openai-compatible, lm-studio, .+ +ready\n$/,
    )

    const sheet = await run('permissions', 'openai-compatible')
    expect(sheet).toMatchObject({ code: 0, stderr: '' })
    expect(sheet.stdout).toContain('used for you, never seen by the extension')

    const revoked = await run(
      'permissions',
      'openai-compatible',
      '--revoke',
      'env:OPENAI_COMPATIBLE_API_KEY',
      '--json',
    )
    expect(JSON.parse(revoked.stdout)).toMatchObject({
      id: 'openai-compatible',
      permissions: { env: expect.not.arrayContaining(['OPENAI_COMPATIBLE_API_KEY']) },
    })
    expect((await run('permissions', 'openai-compatible')).stdout).not.toContain('OPENAI_COMPATIBLE_API_KEY')

    expect(await run('remove', 'openai-compatible')).toMatchObject({
      code: 0,
      stdout: 'Removed openai-compatible.\n',
    })
    expect(await run('list')).toMatchObject({ code: 0, stdout: '' })
  })

  it('prints what was installed with --json', async () => {
    const { code, lines } = await run('install', 'openai-compatible', '--yes', '--json')
    expect(code).toBe(0)
    expect(lines).toHaveLength(1)
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      id: 'openai-compatible',
      version: '0.1.0',
      state: 'ready',
      permissions: { credentials: 'use', memoryMiB: 256 },
      digests: { component: expect.stringMatching(/^[0-9a-f]{64}$/) },
    })
  })

  it('asks again only for what is new', async () => {
    const folder = join(home.folder, 'copy')
    await cp(openaiCompatible, folder, { recursive: true })
    await run('install', folder, '--yes')
    // The same bytes and wishes need no word.
    expect(await run('install', folder)).toMatchObject({ code: 0 })

    const file = join(folder, 'extension.json')
    const manifest = JSON.parse(await readFile(file, 'utf8'))
    manifest.permissions.network = ['https://new.example']
    await writeFile(file, JSON.stringify(manifest))
    const { code, stderr } = await run('install', folder)
    expect(code).toBe(4)
    expect(stderr).toContain('Network     + https://new.example')
    expect(stderr).not.toContain('OPENAI_COMPATIBLE_API_KEY')
  })

  it('stops what changed on disk: list and permissions say so, and it does not run', async () => {
    const { lines } = await run('install', 'openai-compatible', '--yes', '--json')
    expect(lines).toHaveLength(1)
    const data = join(home.folder, 'data/extensions/openai-compatible')
    const [version = ''] = await readdir(data)
    await appendFile(join(data, version, 'dist/openai-compatible.wasm'), '!')

    const list = await run('list')
    expect(list.stdout).toMatch(/openai-compatible +0\.1\.0 +openai-compatible, lm-studio, .+ +changed\n/)
    expect(list.stderr).toContain('is not the one that was agreed to')
    const permissions = await run('permissions', 'openai-compatible')
    expect(permissions.stdout).toContain('is stopped')
    const complete = await run('complete', '-m', 'openai-compatible/m', 'hi')
    expect(complete.code).not.toBe(0)
    expect(complete.stderr).toContain('agreed')
  })

  it('exits with 1 for what cannot be had, naming what is bundled', async () => {
    const { code, stdout, stderr } = await run('install', 'openai-compatibel')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('did you mean "openai-compatible"?')
  })
})
