import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { airlock } from '../../support/cli.ts'
import { repoRoot } from '../../support/repo-root.ts'

// Each command is a process of its own; on a busy machine a few of them take a while.
vi.setConfig({ testTimeout: 120_000 })

/** An environment whose temporary folder is the test's own, to see that nothing is left in it. */
async function environment(): Promise<{ env: NodeJS.ProcessEnv; folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'airlock-test-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return { env: { PATH: process.env.PATH, TMPDIR: folder, AIRLOCK_HOME: join(folder, 'home') }, folder }
}
const leftovers = async (folder: string) =>
  (await readdir(folder)).filter(name => name.startsWith('airlock-demo'))

describe('airlock demo', () => {
  it('shows everything, within 80 columns and without colour in a pipe, and leaves nothing', async () => {
    const { env, folder } = await environment()
    const { code, stdout, stderr } = await airlock(['demo'], { env })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).not.toMatch(/\x1b/)
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
    expect(stdout).toContain('1 Install an extension')
    expect(stdout).toContain('OPENAI_COMPATIBLE_API_KEY (used, never seen)')
    expect(stdout).toContain('openai-compatible/parrot-1-mini')
    expect(stdout).toMatch(/You said: "What happens to these words\?" I am Parrot 1/)
    expect(stdout).toContain('→ get_weather {"city":"Lisbon"}')
    expect(stdout).toContain('this came back: 22 degrees and clear in')
    expect(stdout).toMatch(/Usage +\d+ tokens in, \d+ out/)
    expect(await leftovers(folder)).toEqual([])
  })

  it('--json prints one object a step', async () => {
    const { env } = await environment()
    const { code, lines } = await airlock(['demo', '--json'], { env })
    expect(code).toBe(0)
    const steps = lines.map(line => JSON.parse(line))
    expect(steps.map(({ step }) => step)).toEqual([
      'install',
      'models',
      'answer',
      'tool-call',
      'sign-in',
      'summary',
    ])
    const { requests, withKey } = steps.at(-1)
    expect(requests).toBeGreaterThanOrEqual(4)
    expect(withKey).toBe(requests)
  })

  it('--keep stays, its commands work, and Ctrl-C ends it', async () => {
    const { env, folder } = await environment()
    const child = spawn(process.execPath, [join(repoRoot, 'host/bin/airlock.js'), 'demo', '--keep'], { env })
    let shown = ''
    child.stdout.setEncoding('utf8')
    for await (const data of child.stdout) {
      shown += data
      if (shown.includes('Ctrl-C here')) break
    }
    const variables = Object.fromEntries(
      [...shown.matchAll(/export (\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
    )
    expect(Object.keys(variables)).toEqual(['AIRLOCK_HOME', 'AIRLOCK_KEYCHAIN', 'OPENAI_COMPATIBLE_API_KEY'])
    const tried = await airlock(['complete', 'Hello there'], { env: { ...env, ...variables } })
    expect(tried).toMatchObject({ code: 0, stdout: expect.stringContaining('You said: "Hello there".') })
    const signedIn = await airlock(['login', 'demo'], { env: { ...env, ...variables } })
    expect(signedIn).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Signed in to demo: 3 models'),
    })
    expect(signedIn.stderr).toMatch(/[B-Z]{4}-[B-Z]{4}/)

    child.kill('SIGINT')
    const [code] = await once(child, 'exit')
    expect(code).toBe(0)
    expect(existsSync(variables.AIRLOCK_HOME ?? '')).toBe(false)
    expect(await leftovers(folder)).toEqual([])
  })
})
