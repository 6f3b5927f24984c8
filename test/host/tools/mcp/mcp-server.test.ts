import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createAirlock, type McpServerDefinition, mcpServer } from '../../../../host/index.ts'
import { startMcpHttp } from '../../../servers/mcp-http.ts'
import { createTestHome } from '../../../support/home.ts'
import { repoRoot } from '../../../support/repo-root.ts'

const program = join(repoRoot, 'test/servers/mcp-stdio.ts')

/** As settings write it. */
const variable = (name: string) => `$\{${name}}`

interface Program {
  definition: McpServerDefinition
  /** What befell it: `started <pid>`, `cancelled <reason>`. */
  notes(): Promise<string[]>
}

async function aProgram(mode = 'normal', more: object = {}): Promise<Program> {
  const folder = await mkdtemp(join(tmpdir(), 'airlock-mcp-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'notes')
  const definition = { name: 'test', command: process.execPath, args: [program, file, mode], ...more }
  return {
    definition,
    notes: async () => (existsSync(file) ? (await readFile(file, 'utf8')).trim().split('\n') : []),
  }
}

async function open(
  definition?: McpServerDefinition,
  more: { settings?: object; env?: NodeJS.ProcessEnv } = {},
) {
  const resources = new AsyncDisposableStack()
  onTestFinished(() => resources.disposeAsync())
  const home = resources.use(
    await createTestHome({ extensions: [], ...(more.settings && { settings: { ...more.settings } }) }),
  )
  const log = vi.fn()
  const env = more.env ?? {}
  const airlock = resources.use(
    await createAirlock({ home: home.folder, env, toolPolicy: () => 'allow', log }),
  )
  if (definition)
    airlock.tools.add(mcpServer(definition, { env, log: (level, message) => log({ level, message }) }))
  return {
    airlock,
    logged: () => log.mock.calls.map(([entry]) => `${entry.level} ${entry.message}`),
    say: async (id: string, parameters: unknown = {}, signal?: AbortSignal) =>
      String(await airlock.tools.invoke(id, { parameters }, signal)),
  }
}

const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
const pidOf = (note: string | undefined) => Number(note?.split(' ')[1])

describe('mcpServer of a program', () => {
  test('lists all pages, with names that services take', async () => {
    const { definition } = await aProgram()
    const { airlock, say } = await open(definition)
    const { tools, failures } = await airlock.tools.list()
    expect(failures).toEqual([])
    expect(tools.map(({ id }) => id)).toEqual([
      'test_echo',
      'test_say_it_loud_2',
      'test_say_it_loud',
      'test_everything',
      'test_structured',
      ...['die', 'hang', 'huge', 'env', 'grow', 'refuse', 'crash'].map(name => `test_${name}`),
    ])
    expect(tools[0]).toMatchObject({
      displayName: 'Echo',
      description: 'Says it again',
      readOnly: true,
      source: 'mcp:test',
    })
    expect(await say('test_say_it_loud_2')).toBe('say.it/loud')
    expect(await say('test_say_it_loud')).toBe('say_it_loud')
  })

  test('is not taken at its word that a tool changes nothing', async () => {
    const { definition } = await aProgram()
    const { airlock } = await open()
    await using other = await createAirlock({
      home: (await createTestHome({ extensions: [] })).folder,
      env: {},
    })
    other.tools.add(mcpServer(definition))
    expect(await other.tools.invoke('test_echo', { parameters: { text: 'x' } })).toMatchObject({
      withheld: 'denied',
    })
    await airlock.close()
  })

  test('maps each kind of content to a part', async () => {
    const { definition } = await aProgram()
    const { airlock } = await open(definition)
    expect((await airlock.tools.invoke('test_everything')).parts).toEqual([
      { contentType: 'text/plain', data: 'words' },
      { contentType: 'image/png', data: 'iVBORw0KGgo=' },
      { contentType: 'audio/wav', data: 'UklGRg==' },
      { contentType: 'text/uri-list', data: '# notes: My notes\nfile:///notes.txt' },
      { contentType: 'text/markdown', data: '# A' },
      { contentType: 'application/octet-stream', data: 'AAEC' },
    ])
    const structured = await airlock.tools.invoke('test_structured')
    expect(structured.parts).toHaveLength(1)
    expect(JSON.parse(structured.get('application/json') ?? '')).toEqual({ celsius: 21, sky: ['clear'] })
    const refused = await airlock.tools.invoke('test_refuse')
    expect([refused.isError, String(refused)]).toEqual([true, 'there is no such city'])
  })

  test('says what the server says of a failure', async () => {
    const { definition } = await aProgram()
    const { say } = await open(definition)
    await expect(say('test_crash')).rejects.toMatchObject({
      code: 'tool-failed',
      message: 'The tool "test_crash" failed: The MCP server "test" refused the call: the database is gone',
    })
  })

  test('gives it no more of the environment than it must have, and what the settings name', async () => {
    const { definition } = await aProgram('normal', {
      env: { SECRET_TOKEN: variable('MY_TOKEN'), PLAIN: 'as it is' },
    })
    vi.stubEnv('AIRLOCK_TEST_SECRET', 'do not tell')
    onTestFinished(() => void vi.unstubAllEnvs())
    const { say, logged } = await open(definition, { env: { MY_TOKEN: 'token-of-the-user' } })
    const seen = JSON.parse(await say('test_env'))
    expect(seen).toMatchObject({ SECRET_TOKEN: 'token-of-the-user', PLAIN: 'as it is' })
    expect(seen).not.toHaveProperty('AIRLOCK_TEST_SECRET')
    const usual = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER', 'SECRET_TOKEN', 'PLAIN']
    expect(Object.keys(seen).filter(name => !usual.includes(name))).toEqual([])
    await say('test_echo', { text: 'x' })
    await vi.waitFor(() => expect(logged()).toContain('info echoing with [redacted]'))
  })

  test('a variable that is not set is named', async () => {
    const { definition } = await aProgram('normal', { env: { TOKEN: `Bearer ${variable('MY_TOKEN')}` } })
    const { airlock } = await open(definition)
    const { failures } = await airlock.tools.list()
    expect(failures[0]?.error.message).toBe(
      'The MCP server "test" cannot be started: the variable MY_TOKEN is not set: mcpServers.test.env.TOKEN needs it',
    )
  })

  test('takes up tools that come later', async () => {
    const { definition } = await aProgram()
    const { airlock, say } = await open(definition)
    const changed = vi.fn()
    expect((await airlock.tools.list()).tools.map(({ id }) => id)).not.toContain('test_more')
    airlock.tools.onChange(changed)
    await say('test_grow')
    await vi.waitFor(() => expect(changed).toHaveBeenCalled())
    expect((await airlock.tools.list()).tools.map(({ id }) => id)).toContain('test_more')
  })

  test('that dies fails the call, says why, and is there for the next one', async () => {
    const { definition, notes } = await aProgram()
    const { say } = await open(definition)
    await expect(say('test_die')).rejects.toMatchObject({
      code: 'tool-failed',
      message: expect.stringMatching(
        /ended during the call: it ended with exit code 3 \(it said: fatal: out of luck\); the next call starts it again/,
      ),
    })
    expect(await say('test_echo', { text: 'again' })).toBe('again')
    expect((await notes()).filter(note => note.startsWith('started'))).toHaveLength(2)
  })

  test('that keeps dying is held back', async () => {
    const { definition, notes } = await aProgram('fails')
    const { airlock } = await open(definition)
    for (let count = 0; count < 5; count++) {
      const { failures } = await airlock.tools.list()
      expect(failures[0]?.error.message).toMatch(/"test" cannot be started/)
    }
    const { failures } = await airlock.tools.list()
    expect(failures[0]?.error.message).toMatch(
      /failed 5 times within a minute and is held back for another \d+ s/,
    )
    expect(await notes()).toHaveLength(5)
  })

  test('that is not there is a failure that hides no other tools', async () => {
    const { airlock } = await open({ name: 'gone', command: 'no-such-program-of-airlock' })
    airlock.tools.register('own', { description: 'Own', invoke: () => 'mine' })
    const { tools, failures } = await airlock.tools.list()
    expect(tools.map(({ id }) => id)).toEqual(['own'])
    expect(failures).toMatchObject([
      { source: 'mcp:gone', error: { message: expect.stringContaining('ENOENT') } },
    ])
  })

  test('is told of a call that is aborted', async () => {
    const { definition, notes } = await aProgram()
    const { say } = await open(definition)
    await say('test_echo', { text: 'warm' })
    const controller = new AbortController()
    const calling = say('test_hang', {}, controller.signal)
    calling.catch(() => {})
    await say('test_echo', { text: 'the hanging one was sent before' })
    controller.abort(new Error('enough'))
    await expect(calling).rejects.toThrow('enough')
    await vi.waitFor(async () => expect((await notes()).at(-1)).toMatch(/^cancelled/))
  })

  test('that does not answer in time fails the call', async () => {
    const { definition } = await aProgram('normal', { timeoutMs: 200 })
    const { say } = await open(definition)
    await expect(say('test_hang')).rejects.toThrow(
      'did not answer within 0.2 s: timeoutMs of mcpServers.test sets how long it may take',
    )
    expect(await say('test_echo', { text: 'next' })).toBe('next')
  })

  test('that says too much at once is ended, and is there for the next call', async () => {
    const { definition } = await aProgram()
    const { say } = await open(definition)
    await expect(say('test_huge')).rejects.toThrow('it sent a message of more than 16777216 bytes')
    expect(await say('test_echo', { text: 'next' })).toBe('next')
  })

  test.each(['normal', 'stubborn'])('is ended with the airlock, a %s one too', async mode => {
    const { definition, notes } = await aProgram(mode)
    const { airlock, say } = await open(definition)
    await say('test_echo', { text: 'x' })
    const [started] = await notes()
    expect(isRunning(pidOf(started))).toBe(true)
    await airlock.close()
    await vi.waitFor(() => expect(isRunning(pidOf(started))).toBe(false), 5_000)
  })

  test('that never says a word is ended with the airlock, too', async () => {
    const { definition, notes } = await aProgram('deaf')
    const { airlock } = await open(definition)
    const listing = airlock.tools.list()
    listing.catch(() => {})
    await vi.waitFor(async () => expect(await notes()).toHaveLength(1), 5_000)
    await airlock.close()
    const [started] = await notes()
    await vi.waitFor(() => expect(isRunning(pidOf(started))).toBe(false), 5_000)
  })

  test('is found in settings.json, and starts when tools are first needed', async () => {
    const { definition, notes } = await aProgram()
    const { name: _, ...server } = definition
    const { say } = await open(undefined, { settings: { mcpServers: { files: server } } })
    expect(await notes()).toEqual([])
    expect(await say('files_echo', { text: 'x' })).toBe('x')
  })
})

describe('mcpServer of an address', () => {
  test('lists and calls with the headers of the settings', async () => {
    await using server = await startMcpHttp()
    const headers = { Authorization: `Bearer ${variable('KEY')}` }
    const { airlock, say } = await open(
      { name: 'far', url: server.url, headers },
      { env: { KEY: 'the-secret-key' } },
    )
    expect((await airlock.tools.list()).tools).toHaveLength(12)
    expect(await say('far_echo', { text: 'x' })).toBe('x')
    for (const { authorization } of server.headers) expect(authorization).toBe('Bearer the-secret-key')
    await airlock.close()
    expect(server.sessions).toBe(0)
  })

  test('begins a new session where the server has forgotten it', async () => {
    await using server = await startMcpHttp()
    const { say } = await open({ name: 'far', url: server.url })
    expect(await say('far_echo', { text: 'one' })).toBe('one')
    server.forget()
    expect(await say('far_echo', { text: 'two' })).toBe('two')
  })

  test('says that nobody answers, and reaches it once it is there', async () => {
    const server = await startMcpHttp()
    const { say } = await open({ name: 'far', url: server.url })
    expect(await say('far_echo', { text: 'one' })).toBe('one')
    await server[Symbol.asyncDispose]()
    await expect(say('far_echo', { text: 'two' })).rejects.toThrow(/"far" cannot be reached: fetch failed/)
    await using _ = await startMcpHttp(Number(new URL(server.url).port))
    expect(await say('far_echo', { text: 'three' })).toBe('three')
  })

  test('an answer that breaks off fails the call at once', async () => {
    await using server = await startMcpHttp()
    const { say } = await open({ name: 'far', url: server.url })
    await say('far_echo', { text: 'warm' })
    const calling = say('far_hang')
    calling.catch(() => {})
    await say('far_echo', { text: 'the hanging one was sent before' })
    server.cut()
    await expect(calling).rejects.toThrow(/ended during the call/)
    expect(await say('far_echo', { text: 'next' })).toBe('next')
  })

  test('is told of a call that is aborted, and bounds what it says', async () => {
    await using server = await startMcpHttp()
    const { say } = await open({ name: 'far', url: server.url })
    await say('far_echo', { text: 'warm' })
    const controller = new AbortController()
    const calling = say('far_hang', {}, controller.signal)
    calling.catch(() => {})
    await say('far_echo', { text: 'the hanging one was sent before' })
    controller.abort(new Error('enough'))
    await expect(calling).rejects.toThrow('enough')
    await vi.waitFor(() => expect(server.cancelled).toHaveLength(1))
    await expect(say('far_huge')).rejects.toThrow('more than 16777216 bytes')
  })
})

test.each<[McpServerDefinition, string]>([
  [{ name: 'a b', command: 'x' }, 'name: must be a name of 1 to 40 letters'],
  [{ name: 'a', command: '' }, 'command: must not be empty'],
  [{ name: 'a', url: 'ftp://x' }, 'url: must be a URL that begins with http'],
  [{ name: 'a', comand: 'x' } as never, ''],
])('mcpServer refuses %j', (definition, message) => {
  expect(() => mcpServer(definition)).toThrow(
    expect.objectContaining({ code: 'invalid-option', message: expect.stringContaining(message) }),
  )
})
