import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startScriptedServer } from '../../servers/scripted.ts'
import { airlock } from '../../support/cli.ts'
import { createTestHome, type TestHome } from '../../support/home.ts'

// Each command is a process of its own; on a busy machine a few of them take a while.
vi.setConfig({ testTimeout: 120_000 })

/** Clears the screen, sets the clipboard, rings, starts a C1 sequence, hides what comes. */
const EVIL = 'x\x1b[2J\x1b]52;c;ZXZpbA==\x07\x9b31m\x7f\b\x00y'
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/

let home: TestHome
const resources = new AsyncDisposableStack()

beforeAll(async () => {
  const server = resources.use(
    await startScriptedServer(request => {
      if (request.path.endsWith('/models'))
        return {
          headers: { 'content-type': 'application/json' },
          body: [JSON.stringify({ data: [{ id: `m${EVIL}`, name: EVIL }, { id: 'n' }] })],
        }
      const { model } = JSON.parse(request.body.toString()) as { model: string }
      if (model === 'fails')
        return {
          status: 400,
          headers: { 'content-type': 'application/json' },
          body: [JSON.stringify({ error: { message: EVIL, type: EVIL, code: EVIL } })],
        }
      return { body: answer.map(chunk => `data: ${JSON.stringify(chunk)}\n\n`) }
    }),
  )
  home = resources.use(
    await createTestHome({
      settings: { providers: { 'openai-compatible': { apiUrl: `${server.url}/v1` } } },
    }),
  )
})
afterAll(() => resources.disposeAsync())

const chunk = (delta: object, finish_reason: string | null = null) => ({
  id: EVIL,
  model: EVIL,
  choices: [{ index: 0, delta, finish_reason }],
})
const answer = [
  chunk({ reasoning_content: EVIL }),
  // One sequence in two events.
  chunk({ content: `a${EVIL}\x1b` }),
  chunk({ content: '[2Jb\n' }),
  chunk({
    tool_calls: [
      {
        index: 0,
        id: EVIL,
        type: 'function',
        function: { name: EVIL, arguments: JSON.stringify({ a: EVIL }) },
      },
    ],
  }),
  chunk({}, EVIL),
]

describe('a hostile service', () => {
  it.each<[string, string[]]>([
    ['models', ['models']],
    ['models --json', ['models', '--json']],
    ['complete', ['complete', '-m', 'openai-compatible/n', 'hi']],
    ['complete --json', ['complete', '--json', '-m', 'openai-compatible/n', 'hi']],
    ['an error', ['complete', '-m', 'openai-compatible/fails', 'hi']],
    ['an error --json', ['complete', '--json', '-m', 'openai-compatible/fails', 'hi']],
    ['an error with a stack', ['complete', '-m', 'openai-compatible/fails', 'hi']],
    ['a wrong argument', ['complete', '-m', `openai-compatible\x1b[2J/n`, 'hi']],
  ])('%s: no control character is printed', async (name, args) => {
    const env = name.endsWith('stack') ? { ...home.env, AIRLOCK_DEBUG: '1' } : home.env
    const { stdout, stderr } = await airlock(args, { env })
    expect(stdout + stderr).not.toBe('')
    expect(stdout).not.toMatch(CONTROL)
    expect(stderr).not.toMatch(CONTROL)
  })

  it('lists the models that it has a name for', async () => {
    const { stdout } = await airlock(['models'], { env: home.env })
    expect(stdout).toContain('openai-compatible/mx␛[2J')
  })

  it('is still quoted faithfully with --json', async () => {
    const { lines } = await airlock(['complete', '--json', '-m', 'openai-compatible/n', 'hi'], {
      env: home.env,
    })
    const text = lines.map(line => JSON.parse(line)).filter(({ type }) => type === 'text')
    expect(text.map(event => event.text).join('')).toBe(`a${EVIL}\x1b[2Jb\n`)
  })
})
