import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Script, type ScriptedServer, startScriptedServer } from '../../servers/scripted.ts'
import { airlock } from '../../support/cli.ts'
import { createTestHome, openaiCompatible, type TestHome } from '../../support/home.ts'
import { needs } from '../../support/needs.ts'
import { repoRoot } from '../../support/repo-root.ts'
import { openTerminal } from './tmux.ts'

// Each command is a process of its own; on a busy machine a few of them take a while.
vi.setConfig({ testTimeout: 120_000 })

const stream = (...chunks: unknown[]): Script => ({
  headers: { 'content-type': 'text/event-stream' },
  body: [...chunks.map(chunk => `data: ${JSON.stringify(chunk)}\n\n`), 'data: [DONE]\n\n'],
})
const call = { index: 0, id: 'c1', function: { name: 'calculate', arguments: '{"expression":"6*7"}' } }

/** Calls the tool first, and then says what came of it. */
function answer(body: string): Script {
  const { messages } = JSON.parse(body) as { messages: { role: string; content: string }[] }
  const last = messages.at(-1)
  if (last?.role === 'tool')
    return stream(
      { choices: [{ delta: { content: `It says: ${last.content}` } }] },
      { choices: [{ delta: {}, finish_reason: 'stop' }] },
    )
  return stream(
    { choices: [{ delta: { tool_calls: [call] } }] },
    { choices: [{ delta: {}, finish_reason: 'tool_calls' }] },
  )
}

let server: ScriptedServer
let home: TestHome
beforeAll(async () => {
  server = await startScriptedServer(request =>
    request.method === 'GET' ? { body: ['{"data":[{"id":"m"}]}'] } : answer(request.body.toString()),
  )
  home = await createTestHome({
    serviceUrl: server.url,
    settings: {
      aliases: { default: 'openai-compatible/m' },
      mcpServers: { gone: { command: 'no-such-program-of-airlock' } },
      tools: { date_add: 'allow', count_text: 'deny' },
    },
    extensions: [openaiCompatible, join(repoRoot, 'extensions/calculator')],
  })
})
afterAll(async () => {
  await home[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

const run = (args: string[], stdin?: string) =>
  airlock(args, { env: home.env, ...(stdin !== undefined && { stdin }) })
const sum = ['tools', 'invoke', 'calculate', '--parameters', '{"expression":"6*7"}']

describe('airlock tools', () => {
  test('lists the tools, and names what cannot be listed', async () => {
    const { code, stdout, stderr } = await run(['tools'])
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /^TOOL +SOURCE +READ-ONLY +DESCRIPTION\ncalculate +extension:calculator +Works out/,
    )
    expect(stderr).toContain('mcp:gone: The MCP server "gone" cannot be started')
  })

  test('prints them with --json, those of one source alone', async () => {
    const { code, lines, stderr } = await run(['tools', 'list', '--source', 'extension', '--json'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(lines.map(line => JSON.parse(line).id)).toEqual([
      'calculate',
      'date_add',
      'date_difference',
      'count_text',
    ])
    expect(await run(['tools', 'list', '--source', 'calculator'])).toMatchObject({ code: 2 })
  })
})

describe('airlock tools invoke', () => {
  test('runs a tool where that is agreed to', async () => {
    expect(await run([...sum, '--yes'])).toMatchObject({ code: 0, stdout: '42\n', stderr: '' })
    const json = await run([...sum, '--yes', '--json'])
    expect(JSON.parse(json.stdout)).toEqual({
      tool: 'calculate',
      isError: false,
      parts: [{ contentType: 'text/plain', data: '42' }],
    })
  })

  test('reads parameters from standard input, and needs no --yes where the settings allow it', async () => {
    const parameters = '{ "date": "2024-02-28", "days": 2 }'
    const { code, stdout } = await run(['tools', 'invoke', 'date_add', '--parameters', '-'], parameters)
    expect({ code, stdout }).toEqual({ code: 0, stdout: '2024-03-01, a Friday\n' })
  })

  test.each<[string[], number, string]>([
    [sum, 4, 'add --yes, or set tools.calculate to "allow"'],
    [
      ['tools', 'invoke', 'count_text', '--yes', '--parameters', '{"text":""}'],
      4,
      'the policy for tools does not allow it',
    ],
    [['tools', 'invoke', 'calculat', '--yes'], 2, 'did you mean "calculate"?'],
    [['tools', 'invoke', 'calculate', '--yes'], 1, 'expression is missing'],
    [['tools', 'invoke', 'calculate', '--yes', '--parameters', '[]'], 2, 'must be one JSON object'],
    [['tools', 'invoke', 'calculate', '--yes', '--parameters', '{'], 2, 'they are not JSON'],
    [[...sum.slice(0, 4), '{"expression":"1/0"}', '--yes'], 1, 'a division by zero has no result'],
  ])('%j ends with %i', async (args, code, message) => {
    const ended = await run(args)
    expect(ended.stderr).toContain(message)
    expect(ended).toMatchObject({ code, stdout: '' })
  })
})

describe('airlock complete --tools', () => {
  test('lets the model call what is named', async () => {
    const { code, stdout, stderr } = await run(['complete', '--tools', 'calculate', '--yes', 'How much?'])
    expect(stdout).toBe('→ calculate {"expression":"6*7"}\nIt says: 42\n')
    expect(stderr).toBe('← calculate: 42\n')
    expect(code).toBe(0)
  })

  test('tells the model where nobody can be asked', async () => {
    const { code, stdout } = await run(['complete', '--tools', 'all', 'How much?'])
    expect(code).toBe(0)
    expect(stdout).toContain('It says: Error: The tool "calculate" was not run')
  })

  test('prints events with --json', async () => {
    const { lines } = await run(['complete', '--tools', 'calculate', '--yes', '--json', 'How much?'])
    expect(lines.map(line => JSON.parse(line))).toContainEqual({
      step: 1,
      type: 'tool-result',
      id: 'c1',
      name: 'calculate',
      tool: 'calculate',
      outcome: 'ran',
      isError: false,
      parts: [{ contentType: 'text/plain', data: '42' }],
    })
  })
})

const onTerminal = needs('tmux')

describe('airlock chat --tools on a terminal', () => {
  onTerminal('asks before a tool runs, and remembers "always" for the chat', async () => {
    await using terminal = await openTerminal(['chat', '--tools', 'calculate'], { env: home.env })
    await terminal.shows(/^> ?$/m)
    await terminal.type('How much?')
    await terminal.press('Enter')
    await terminal.shows(/with \{"expression":"6\*7"\}/)
    await terminal.shows(/\[N\]o *$/m)
    await terminal.press('Enter')
    await terminal.shows(/It says: Error: The tool "calculate" was not run/)
    await terminal.type('And now?')
    await terminal.press('Enter')
    await terminal.shows(/And now\?[\s\S]*\[N\]o *$/m)
    await terminal.type('a')
    await terminal.press('Enter')
    await terminal.shows(/And now\?[\s\S]*It says: 42/)
    await terminal.type('Again')
    await terminal.press('Enter')
    await terminal.shows(/Again[\s\S]*It says: 42/)
    await terminal.press('C-d')
    expect(await terminal.exitCode()).toBe(0)
  })

  onTerminal('Ctrl-C at the question stops the answer, and the chat goes on', async () => {
    await using terminal = await openTerminal(['chat', '--tools', 'calculate'], { env: home.env })
    await terminal.shows(/^> ?$/m)
    await terminal.type('How much?')
    await terminal.press('Enter')
    await terminal.shows(/\[N\]o *$/m)
    await terminal.press('C-c')
    await terminal.shows(/\(stopped\)/)
    await terminal.press('C-d')
    expect(await terminal.exitCode()).toBe(0)
  })
})
