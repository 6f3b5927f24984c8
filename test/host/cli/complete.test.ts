import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { airlock, type CliOptions } from '../../support/cli.ts'
import { repoRoot } from '../../support/repo-root.ts'
import { createServiceHome, lastCompletion, type ServiceHome } from './service-home.ts'

// Each command is a process of its own; on a busy machine a few of them take a while.
vi.setConfig({ testTimeout: 120_000 })

const KEY = 'test-key-6a1f'
let fixture: ServiceHome
let env: NodeJS.ProcessEnv
beforeAll(async () => {
  fixture = await createServiceHome({ key: KEY })
  env = { ...fixture.home.env, OPENAI_COMPATIBLE_API_KEY: KEY }
})
afterAll(() => fixture[Symbol.asyncDispose]())

const run = (args: string[], options: Partial<CliOptions> = {}) =>
  airlock(['complete', ...args], { env, ...options })
const lastBody = () => JSON.parse(lastCompletion(fixture.service)?.body ?? '')

describe('airlock complete', () => {
  it('prints the answer, and nothing else, with a newline at its end', async () => {
    const { code, stdout, stderr } = await run(['hello there'])
    expect(stderr).toBe('')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^You said: "hello there"\. I am Parrot 1, .* I liked it\.\n$/)
    expect(fixture.service.requests.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`)
  })

  it('prints one event a line with --json', async () => {
    const { code, lines, stderr } = await run(['--json', 'hello there'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const events = lines.map(line => JSON.parse(line))
    expect(events[0]).toEqual({ type: 'started' })
    expect(events.find(({ type }) => type === 'response-metadata')).toEqual({
      type: 'response-metadata',
      id: expect.stringMatching(/^chatcmpl-/),
      model: 'parrot-1',
    })
    const said = events.filter(({ type }) => type === 'text')
    expect(said.map(event => event.text).join('')).toContain('You said: "hello there".')
    expect(Object.keys(said[0])).toEqual(['type', 'text'])
    expect(events.at(-2)).toMatchObject({ type: 'usage', inputTokens: 2 })
    expect(events.at(-1)).toEqual({ type: 'stop', reason: 'end-turn' })
    expect(lines.join('')).not.toContain('null')
  })

  it('takes the prompt from standard input', async () => {
    const { code, stdout } = await run([], { stdin: 'from a pipe\n' })
    expect(code).toBe(0)
    expect(stdout).toContain('You said: "from a pipe".')
  })

  it('puts system text and limits into the request, and says so where the answer is cut off', async () => {
    const { code, stdout, stderr } = await run([
      '--system',
      'Be brief.',
      '--max-tokens',
      '4',
      '--temperature',
      '0.5',
      'hi',
    ])
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'You said: "hi". I \n' })
    expect(stderr).toBe('airlock: the answer was cut off at its token limit\n')
    const { messages, temperature } = lastBody()
    expect(messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'hi' },
    ])
    expect(temperature).toBe(0.5)
  })

  it('reads a request from a file, from standard input, and lets -m win', async () => {
    const request = JSON.stringify({
      model: 'openai-compatible/owl-1',
      messages: [{ role: 'user', content: 'from a file' }],
    })
    const file = join(fixture.home.folder, 'request.json')
    await writeFile(file, request)
    expect((await run(['--request', file])).stdout).toContain('"from a file". I am Owl 1')
    expect((await run(['--request', '-'], { stdin: request })).stdout).toContain('I am Owl 1')
    const overridden = await run(['--request', file, '-m', 'openai-compatible/parrot-1-mini'])
    expect(overridden.stdout).toContain('I am Parrot 1 mini')
  })

  it('keeps thinking off a pipe', async () => {
    const { stdout, stderr } = await run(['-m', 'openai-compatible/owl-1', 'hoo'])
    expect(stdout).toMatch(/^You said/)
    expect(stderr).toBe('')
  })

  it('shows a tool call on a line of its own', async () => {
    const request = JSON.stringify({
      messages: [{ role: 'user', content: 'weather in Oslo' }],
      tools: [
        { name: 'get_weather', inputSchema: { type: 'object', properties: { city: { type: 'string' } } } },
      ],
    })
    expect(await run(['--request', '-'], { stdin: request })).toMatchObject({
      code: 0,
      stdout: '→ get_weather {"city":"Oslo"}\n',
    })
    const { lines } = await run(['--json', '--request', '-'], { stdin: request })
    expect(lines.map(line => JSON.parse(line))).toContainEqual({
      type: 'tool-use',
      id: 'call_1',
      name: 'get_weather',
      input: '{"city":"Oslo"}',
    })
  })
})

describe('airlock complete: exit codes', () => {
  it('3 where the service does not accept the key, with a hint where none was given', async () => {
    const wrong = await run(['hi'], { env: { ...env, OPENAI_COMPATIBLE_API_KEY: 'wrong' } })
    expect(wrong).toMatchObject({ code: 3, stdout: '' })
    expect(wrong.stderr).toMatch(/^airlock: .*The API key is not right\..*\n$/)
    expect(wrong.stderr).not.toContain(KEY)

    const { code, stderr, lines } = await run(['--json', 'hi'], { env: fixture.home.env })
    expect(code).toBe(3)
    expect(stderr).toContain('; or the key may come from OPENAI_COMPATIBLE_API_KEY, which is not set)')
    expect(JSON.parse(lines.at(-1) ?? '')).toEqual({
      type: 'error',
      error: {
        kind: 'authentication',
        message: expect.stringContaining('The API key is not right.'),
        status: 401,
        code: 'invalid_api_key',
      },
    })
  })

  it('1 where the service has no such model', async () => {
    const { code, stderr, lines } = await run(['--json', '-m', 'openai-compatible/gone', 'hi'])
    expect(code).toBe(1)
    expect(stderr).toBe('airlock: The model "gone" does not exist.\n')
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ error: { kind: 'model-not-found', status: 404 } })
    const mistyped = await run(['-m', 'openai-compatible/parot-1', 'hi'])
    expect(mistyped.stderr).toMatch(
      /does not exist\. Did you mean "openai-compatible\/parrot-1"( or ".+")*\?\n$/,
    )
  })

  it.each([
    ['gone', /: providers are openai-compatible, /],
    ['openai-compatible/', /: providers are openai-compatible, /],
    ['openai-compatibel/x', /: did you mean "openai-compatible\/x"\?/],
  ])('2 for %s, which names no model, and no guess that could not be right', async (model, said) => {
    const { code, stderr } = await run(['-m', model, 'hi'])
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(said) })
  })

  it('2 for a provider that nobody has, with the nearest names', async () => {
    const { code, stderr, lines } = await run(['--json', '-m', 'openai-compatibel/parrot-1', 'hi'])
    expect(code).toBe(2)
    expect(stderr).toContain('openai-compatible/')
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({
      error: { kind: 'model-not-found', code: 'unknown-model' },
    })
  })

  it('1 where nothing listens', async () => {
    await using down = await createServiceHome()
    await down.service.close()
    const { code, stderr, lines } = await airlock(['complete', '--json', 'hi'], { env: down.home.env })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^airlock: .+\n$/)
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ type: 'error', error: { kind: 'network' } })
  })

  it('0 where the settings say which of several is meant', async () => {
    const defaults = { model: 'openai-compatible/parrot-1-mini' }
    await using open = await createServiceHome({ settings: { aliases: {}, defaults } })
    const { code, lines } = await airlock(['complete', '--json', 'hi'], { env: open.home.env })
    expect(code).toBe(0)
    expect(lines.map(line => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ type: 'response-metadata', model: 'parrot-1-mini' }),
    )
  })

  it('2 where several models could be meant, naming some', async () => {
    await using open = await createServiceHome({ settings: { aliases: {} } })
    const { code, stderr } = await airlock(['complete', 'hi'], { env: open.home.env })
    expect(code).toBe(2)
    expect(stderr).toMatch(/Which model\?.*openai-compatible\/parrot-1, openai-compatible\/parrot-1-mini/)
  })
})

describe.skipIf(!existsSync('/dev/full'))('airlock, with standard output on a full disk', () => {
  it.each([
    ['an answer', ['complete', 'hi']],
    ['events', ['complete', '--json', 'hi']],
    ['a list', ['list']],
    ['help', ['--help']],
  ])('fails and says so: %s', async (_, args) => {
    await using full = await open('/dev/full', 'w')
    const child = spawn(process.execPath, [join(repoRoot, 'host/bin/airlock.js'), ...args], {
      env,
      stdio: ['ignore', full.fd, 'pipe'],
    })
    const [stderr, [code]] = await Promise.all([text(child.stderr!), once(child, 'close')])
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^airlock: Cannot write .*ENOSPC/),
    })
  })
})

describe('airlock complete: interrupted', () => {
  const start = (args: string[], childEnv: NodeJS.ProcessEnv) =>
    spawn(process.execPath, [join(repoRoot, 'host/bin/airlock.js'), 'complete', ...args], {
      env: childEnv,
      stdio: ['ignore', 'pipe', 'pipe'],
    })

  it('Ctrl-C exits with 130 and closes the connection', async () => {
    await using slow = await createServiceHome({ pieces: 20_000, pacing: { everyMs: 10 } })
    const child = start(['--json', 'hi'], slow.home.env)
    const stderr = text(child.stderr)
    let stdout = ''
    child.stdout.setEncoding('utf8').on('data', data => {
      const isFirst = !stdout.includes('"text"')
      stdout += data
      if (isFirst && stdout.includes('"text"')) child.kill('SIGINT')
    })
    const [code] = await once(child, 'close')
    expect(code).toBe(130)
    expect(await stderr).toBe('')
    expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({
      type: 'error',
      error: { code: 'interrupted' },
    })
    await expect.poll(() => lastCompletion(slow.service)?.outcome, { timeout: 5_000 }).toBe('dropped')
  })

  it.each([[[]], [['--json']]])('a reader that leaves ends it quietly with 0: %j', async flags => {
    await using endless = await createServiceHome({ pieces: 20_000, pacing: { everyMs: 10 } })
    const child = start([...flags, 'hi'], endless.home.env)
    const stderr = text(child.stderr)
    child.stdout.once('data', () => child.stdout.destroy())
    const [code] = await once(child, 'exit')
    expect({ code, stderr: await stderr }).toEqual({ code: 0, stderr: '' })
    await expect.poll(() => lastCompletion(endless.service)?.outcome, { timeout: 5_000 }).toBe('dropped')
  })
})
