import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createDemoService } from '../../../host/demo/service.ts'
import { startOAuthServer } from '../../servers/oauth-server.ts'
import { airlock } from '../../support/cli.ts'
import { createTestHome, type TestHome } from '../../support/home.ts'
import { needs } from '../../support/needs.ts'
import { repoRoot } from '../../support/repo-root.ts'
import { signInExtension } from '../runtime/sign-in-extension.ts'
import { openTerminal } from './tmux.ts'

// Each command is a process of its own; on a busy machine a few of them take a while.
vi.setConfig({ testTimeout: 120_000 })

const KEY = 'sk-or-v1-0123456789abcdef0123'
const openrouter = join(repoRoot, 'extensions/openrouter')
const demo = join(repoRoot, 'extensions/demo')

let browser: Browser | undefined
afterAll(() => browser?.close())

/** No keychain is touched, and no browser opened. */
function envOf(home: TestHome): NodeJS.ProcessEnv {
  return { ...home.env, AIRLOCK_KEYCHAIN: 'off', BROWSER: 'none' }
}

/** The demo service under the names of `openrouter` and `demo`, which speak its dialect. */
async function setUp({ confirmAfterMs = 0 }: { confirmAfterMs?: number } = {}) {
  const service = await createDemoService({ key: KEY, signIn: { confirmAfterMs } })
  const home = await createTestHome({
    extensions: [openrouter, demo],
    settings: {
      providers: { openrouter: { apiUrl: service.url }, demo: { apiUrl: new URL(service.url).origin } },
    },
  })
  onTestFinished(async () => {
    await home[Symbol.asyncDispose]()
    await service.close()
  })
  return { service, home, env: envOf(home) }
}

async function setUpAcme() {
  const service = await startOAuthServer()
  const home = await createTestHome({
    extensions: [await signInExtension()],
    settings: { providers: { acme: { apiUrl: service.url }, nosy: { apiUrl: service.url } } },
  })
  onTestFinished(async () => {
    await home[Symbol.asyncDispose]()
    await service.close()
  })
  return { service, home, env: envOf(home) }
}

const byKey = ['login', 'openrouter', '--option', 'api-key']

describe('airlock login: a form', () => {
  it('takes the key from a pipe, and login, models, status, logout agree on it', async () => {
    const { env } = await setUp()
    const signedIn = await airlock([...byKey, '--stdin'], { env, stdin: `${KEY}\n` })
    expect(signedIn).toMatchObject({
      code: 0,
      stdout: 'Signed in to openrouter: 3 models, see airlock models openrouter.\n',
    })
    // The one honest sentence about where the key of the store is.
    expect(signedIn.stderr).toMatch(/AIRLOCK_KEYCHAIN\sis\soff/)
    expect((await airlock(['complete', '-m', 'openrouter/parrot-1', 'Hi'], { env })).stdout).toContain(
      'You said',
    )

    const status = await airlock(['status'], { env })
    expect(status.stdout).toMatch(/openrouter +signed in with api-key +\d{4}-\d\d-\d\d \d\d:\d\d/)
    expect(status.stdout).toMatch(/demo +none \(airlock login demo\)/)
    expect(status.stderr).toMatch(/Stored in .*credentials, locked by a key file beside it/)
    const { stdout } = await airlock(['status', '--json'], { env })
    expect(JSON.parse(stdout)).toMatchObject({
      providers: [
        { provider: 'demo', shadowed: [] },
        { provider: 'openrouter', source: { from: 'stored' }, credential: { option: 'api-key' } },
      ],
      notLoaded: [],
      store: { lockedBy: 'key-file', movedAside: [] },
    })

    expect(await airlock(['logout', 'openrouter'], { env })).toMatchObject({
      code: 0,
      stdout: 'Signed out of openrouter.\n',
      stderr: '',
    })
    const refused = await airlock(['complete', '-m', 'openrouter/parrot-1', 'Hi'], { env })
    expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining('airlock login openrouter') })
  })

  it('takes fields from the command line, and says that others can see them', async () => {
    const { env } = await setUp()
    const { code, stderr, lines } = await airlock(
      ['login', 'openrouter', '--field', `apiKey=${KEY}`, '--json'],
      {
        env,
      },
    )
    expect(code).toBe(0)
    expect(stderr).toContain('--stdin keeps a secret to itself')
    expect(lines.map(line => JSON.parse(line))).toEqual([
      { type: 'signed-in' },
      { type: 'done', provider: 'openrouter', option: 'api-key', models: 3 },
    ])
  })

  it('keeps a key that the service does not take, and says that the models could not be listed', async () => {
    const { service, env } = await setUp()
    await service.close()
    const { code, stdout, stderr } = await airlock([...byKey, '--stdin'], { env, stdin: KEY })
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Signed in to openrouter.\n' })
    expect(stderr).toContain('The models could not be listed')
    expect((await airlock(['status'], { env })).stdout).toContain('signed in with api-key')
  })

  it.each<[string, string[], string, RegExp]>([
    ['an empty key', [...byKey, '--stdin'], ' \n', /"apiKey" \(API key\) must not be empty/],
    ['a key of two lines', [...byKey, '--stdin'], `${KEY}\n${KEY}`, /it has a line break at character/],
    ['no key', byKey, '', /give apiKey with --stdin, or with --field KEY=VALUE/],
    ['an unknown field', [...byKey, '--field', 'key=x'], '', /"key": the form has apiKey/],
    ['no KEY=VALUE', [...byKey, '--field', KEY], '', /--field must be KEY=VALUE/],
    ['no option', ['login', 'openrouter'], '', /--option browser \(.*\), --option api-key \(API key\)/],
    ['an unknown option', ['login', 'openrouter', '--option', 'x'], '', /--option browser/],
    ['a form that is none', ['login', 'demo', '--stdin'], KEY, /has no form to fill in/],
    ['an unknown provider', ['login', 'openroute'], '', /did you mean "openrouter"\?/],
  ])('exits with 2 for %s, without the key', async (_, args, stdin, message) => {
    const { env } = await setUp()
    const { code, stdout, stderr } = await airlock(args, { env, stdin })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(message)
    expect(stderr).not.toContain(KEY)
  })
})

describe('airlock status', () => {
  it('names what keeps the keys from being read, and still shows the rest; exits with 1', async () => {
    const { env } = await setUp()
    const locked = { ...env, AIRLOCK_PASSPHRASE: 'open sesame' }
    expect((await airlock([...byKey, '--stdin'], { env: locked, stdin: KEY })).code).toBe(0)
    expect((await airlock(['status'], { env: locked })).stderr).toContain('locked by a passphrase')
    const { code, stdout, stderr } = await airlock(['status'], { env })
    expect(code).toBe(1)
    expect(stdout).toMatch(/openrouter +none/)
    expect(stderr).toContain('AIRLOCK_PASSPHRASE')
  })
})

describe('airlock login: a device code', () => {
  it('shows code and address in a pipe, within 80 columns and without colour, and no browser is needed', async () => {
    const { env } = await setUp()
    const { code, stdout, stderr } = await airlock(['login', 'demo'], { env })
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'Signed in to demo: 3 models, see airlock models demo.\n',
    })
    expect(stderr).toMatch(/│ {2}[B-Z]{4}-[B-Z]{4} {2}│/)
    expect(stderr).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/device$/m)
    expect(stdout + stderr).not.toMatch(/\x1b/)
    // A path may be longer.
    for (const line of stderr.split('\n').filter(line => !line.includes('/credentials/')))
      expect(line.length).toBeLessThanOrEqual(80)
    expect((await airlock(['status'], { env })).stdout).toMatch(
      /demo +signed in with device +\S+ \S+ +\d{4}-/,
    )
  })

  it('--json prints the events', async () => {
    const { env } = await setUp()
    const { lines } = await airlock(['login', 'demo', '--json'], { env })
    const events = lines.map(line => JSON.parse(line))
    expect(events.map(({ type }) => type)).toEqual(['device-code', 'browser-failed', 'signed-in', 'done'])
    expect(events[0].prompt).toMatchObject({ userCode: expect.stringMatching(/^[B-Z]{4}-[B-Z]{4}$/) })
  })
})

describe('airlock login: the browser', () => {
  needs('chromium')('a real browser signs in at a real service, and the command ends', async () => {
    const { service, env } = await setUpAcme()
    const login = start(['login', 'acme', '--option', 'browser'], env)
    const url = await login.prints(/^(http:\/\/127\.0\.0\.1:\d+\/auth\?\S+)$/m)
    browser ??= await chromium.launch({
      executablePath: '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
    })
    const page = await browser.newPage()
    await page.goto(url)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.waitForURL(/^http:\/\/127\.0\.0\.1:\d+\/callback/)
    expect(await page.textContent('h1')).toBeTruthy()
    await page.close()
    expect(await login.ended).toBe(0)
    expect(login.output().stdout).toBe('Signed in to acme.\n')
    expect(service.counts.exchanged).toBe(1)
    expect((await airlock(['status'], { env })).stdout).toMatch(/acme +signed in with browser/)
  })

  it('SIGINT ends it with 130 and frees the port', async () => {
    const { env } = await setUpAcme()
    const login = start(['login', 'acme', '--option', 'browser'], env)
    const url = await login.prints(/^(http:\/\/127\.0\.0\.1:\d+\/auth\?\S+)$/m)
    const port = Number(new URL(new URL(url).searchParams.get('redirect_uri') ?? '').port)
    expect(await reaches(port)).toBe(true)
    login.child.kill('SIGINT')
    expect(await login.ended).toBe(130)
    expect(await reaches(port)).toBe(false)
  })
})

describe('airlock login: on a terminal', () => {
  needs('tmux')('asks with a mask, and lists the ways in', async () => {
    const { env } = await setUp()
    await using terminal = await openTerminal(['login', 'openrouter'], { env, columns: 80 })
    const shown = await terminal.shows(/API key/)
    expect(shown).toContain('OpenRouter account, in the browser')
    await terminal.press('Down', 'Enter')
    await terminal.shows(/◆ {2}API key/)
    await terminal.press('Enter')
    await terminal.shows(/must not be empty/)
    await terminal.type(KEY)
    await terminal.shows(/\*{20}/)
    await terminal.press('Enter')
    const screen = await terminal.shows(/Signed in to openrouter/)
    expect(screen).not.toContain(KEY)
    expect(await terminal.exitCode()).toBe(0)
  })

  for (const columns of [80, 40])
    needs('tmux')(`shows a code whole at ${columns} columns`, async () => {
      const { env } = await setUp({ confirmAfterMs: 3_000 })
      await using terminal = await openTerminal(['login', 'demo'], { env, columns })
      const shown = await terminal.shows(/Ctrl-C stops/)
      expect(shown).toMatch(/│ {2}[B-Z]{4}-[B-Z]{4} {2}│/)
      expect(shown).toMatch(/http:\/\/127\.0\.0\.1:\d+\/device/)
      await terminal.shows(/Signed in to demo/)
      expect(await terminal.exitCode()).toBe(0)
    })

  for (const columns of [80, 40])
    needs('tmux')(
      `takes a pasted address that does not show, at ${columns} columns; Ctrl-C stops`,
      async () => {
        const { env } = await setUpAcme()
        await using terminal = await openTerminal(['login', 'acme', '--option', 'browser'], {
          env,
          columns,
          rows: 60,
        })
        await terminal.shows(/Paste it here:/)
        await terminal.paste('http://127.0.0.1:1/callback?code=secret-code&state=wrong')
        await terminal.press('Enter')
        const shown = await terminal.shows(/Cannot use what was pasted/)
        expect(shown).not.toContain('secret-code')
        await terminal.press('C-c')
        expect(await terminal.exitCode()).toBe(130)
      },
    )
})

describe('secrets', () => {
  it('are in no output, no file and no argument of a process: login, refresh, complete, status, logout', async () => {
    const { service, home, env: quiet } = await setUp()
    const env = { ...quiet, AIRLOCK_DEBUG: '1' }
    const seen: string[] = []
    const watching = watchArguments(text => seen.push(text))
    const runs = [
      await airlock([...byKey, '--stdin'], { env, stdin: KEY }),
      await airlock(['login', 'demo'], { env }),
      await airlock(['complete', '-m', 'demo/parrot-1', 'Hi'], { env }),
      await airlock(['complete', '--json', '-m', 'openrouter/parrot-1', 'Hi'], { env }),
      await airlock(['status', '--json'], { env }),
      await airlock(['models'], { env }),
      await airlock(['logout', 'openrouter'], { env }),
    ]
    watching.stop()
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0, 0])
    // What the service gave for the code; only its refresh token is another than the key.
    expect(service.requests.some(({ headers }) => headers.authorization === `Bearer ${KEY}`)).toBe(true)
    for (const secret of [KEY, 'demo-refresh-']) {
      for (const { stdout, stderr } of runs) expect(stdout + stderr).not.toContain(secret)
      expect(seen.filter(text => text.includes(secret))).toEqual([])
      for (const file of await readdir(home.folder, { recursive: true, withFileTypes: true })) {
        if (!file.isFile()) continue
        expect(file.name).not.toContain(secret)
        expect(await readFile(join(file.parentPath, file.name), 'latin1')).not.toContain(secret)
      }
    }
  })
})

/** A command that goes on while the test does something. */
function start(args: readonly string[], env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, [join(repoRoot, 'host/bin/airlock.js'), ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text
    })
  const ended = new Promise<number | null>(resolve => child.once('close', resolve))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return {
    child,
    ended,
    output: () => output,
    /** Waits for standard error to match, and returns the first group. */
    prints: (pattern: RegExp) =>
      vi.waitFor(
        () => {
          const found = pattern.exec(output.stderr)?.[1]
          if (found === undefined) throw new Error(`not on standard error yet: ${output.stderr}`)
          return found
        },
        { timeout: 30_000, interval: 50 },
      ),
  }
}

/** Reads the command lines of all processes again and again. Elsewhere than on Linux there is nothing to read. */
function watchArguments(saw: (text: string) => void) {
  const timer = setInterval(() => {
    for (const id of readProcesses()) {
      try {
        saw(readFileSync(`/proc/${id}/cmdline`, 'latin1'))
      } catch {
        // It has ended.
      }
    }
  }, 100)
  return { stop: () => clearInterval(timer) }
}

function readProcesses(): string[] {
  try {
    return readdirSync('/proc').filter(name => /^\d+$/.test(name))
  } catch {
    return []
  }
}

function reaches(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
