import { randomUUID } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { airlock, type CliOptions } from '../../support/cli.ts'
import { createTestHome, type TestHome } from '../../support/home.ts'

// Each command is a process of its own; on a busy machine a few of them take a while.
vi.setConfig({ testTimeout: 120_000 })

/** Command lines that say what is wrong with them, without a service. */
let home: TestHome
beforeAll(async () => {
  home = await createTestHome()
})
afterAll(() => home[Symbol.asyncDispose]())

const run = (args: readonly string[], options: Partial<CliOptions> = {}) =>
  airlock(args, { env: home.env, ...options })

describe.concurrent('airlock --help', () => {
  it('shows the commands on standard output', async () => {
    const { code, stdout, stderr } = await run(['--help'])
    expect(code).toBe(0)
    expect(stderr).toBe('')
    for (const name of [
      'install',
      'list',
      'remove',
      'permissions',
      'models',
      'complete',
      'chat',
      'settings',
      'demo',
    ])
      expect(stdout).toMatch(new RegExp(`^ {2}${name}\\b`, 'm'))
    expect(stdout).not.toMatch(/^ {2}(serve|doctor)\b/m)
  })

  it.each(['install', 'list', 'remove', 'permissions', 'models', 'complete', 'chat', 'settings', 'demo'])(
    '%s has --json and --help',
    async name => {
      const { code, stdout } = await run([name, '--help'])
      expect(code).toBe(0)
      expect(stdout).toContain('--json')
      expect(stdout).toContain(`Usage: airlock ${name}`)
    },
  )

  it('shows the version', async () => {
    const { version } = JSON.parse(await readFile('host/package.json', 'utf8')) as { version: string }
    expect(await run(['--version'])).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' })
  })

  it('is shown on standard error where a command is missing', async () => {
    const { code, stdout, stderr } = await run([])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('Usage: airlock')
  })
})

describe.concurrent('wrong usage', () => {
  it.each<[string, string[], RegExp]>([
    [
      'an unknown command',
      ['modles'],
      /^airlock: unknown command 'modles' \(Did you mean models\?\) \(see: airlock --help\)\n$/,
    ],
    [
      'an unknown option',
      ['models', '--jsno'],
      /^airlock: unknown option '--jsno'.*\(see: airlock models --help\)\n$/,
    ],
    ['a missing argument', ['install'], /^airlock: missing required argument 'what'/],
    ['an argument too many', ['list', 'x'], /^airlock: too many arguments/],
    [
      'a count that is none',
      ['complete', '--max-tokens', 'many', 'hi'],
      /It must be a whole number above 0\./,
    ],
    ['a number that is none', ['complete', '--temperature', 'hot', 'hi'], /It must be a number\./],
    ['a prompt of nothing', ['complete', ' '], /^airlock: The prompt is empty/],
    ['an extension that is not there', ['remove', 'openai-compatibel'], /did you mean "openai-compatible"\?/],
    [
      'a permission that is not held',
      ['permissions', 'openai-compatible', '--revoke', 'network:x'],
      /the grant does not hold it/,
    ],
    ['a key that cannot be read', ['settings', 'get', 'a..b'], /^airlock: Cannot read the key a\.\.b/],
  ])('%s exits with 2 and one line', async (_, args, line) => {
    const { code, stdout, stderr } = await run(args)
    expect(stderr).toMatch(line)
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  })

  it('is an object on the last line with --json', async () => {
    const { code, lines } = await run(['complete', '--json', '--max-tokens', '0', 'hi'])
    expect(code).toBe(2)
    expect(JSON.parse(lines.at(-1) ?? '')).toEqual({
      type: 'error',
      error: {
        kind: 'invalid-request',
        message: expect.stringContaining('--max-tokens'),
        code: 'wrong-usage',
      },
    })
  })

  it('shows a stack only with AIRLOCK_DEBUG', async () => {
    const { stderr } = await run(['remove', 'none'], { env: { ...home.env, AIRLOCK_DEBUG: '1' } })
    expect(stderr).toMatch(/UnknownNameError: .*\n +at /)
    expect((await run(['remove', 'none'])).stderr).not.toMatch(/\n +at /)
  })
})

describe.concurrent('a request file', () => {
  const complete = async (text: string) => {
    const file = join(home.folder, `${randomUUID()}.request.json`)
    await writeFile(file, text)
    return run(['complete', '--json', '--request', file])
  }
  it.each([
    ['{"messages":', 'is not JSON', 'wrong-usage'],
    ['[]', 'must hold one JSON object', 'wrong-usage'],
    [
      '{"messages":[{"role":"user","content":7}]}',
      'messages[0].content must be a string or an array, not 7',
      'invalid-request',
    ],
    [
      '{"messages":[{"role":"user","content":[{"type":"text"}]}]}',
      'messages[0].content[0].text is missing',
      'invalid-request',
    ],
    ['{"messages":[{"role":"user","content":"x"}],"maxTokens":0}', 'maxTokens: ', 'invalid-request'],
    ['{"messages":[{"role":"user","content":"x"}],"max_tokens":5}', 'max_tokens', 'invalid-request'],
    ['{"messages":[]}', 'messages must not be empty', 'invalid-request'],
  ])('%s exits with 2 and says where', async (text, place, errorCode) => {
    const { code, lines, stderr } = await complete(text)
    expect(stderr).toContain('request.json')
    expect(stderr).toContain(place)
    expect(code).toBe(2)
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({
      error: { kind: 'invalid-request', code: errorCode },
    })
  })

  it('that is not there exits with 2', async () => {
    const { code, stderr } = await run(['complete', '--request', 'nowhere.json'])
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'airlock: Cannot read the request nowhere.json: there is no such file\n',
    })
  })
})
