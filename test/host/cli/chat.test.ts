import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { airlock } from '../../support/cli.ts'
import { needs } from '../../support/needs.ts'
import { createServiceHome, lastCompletion, type ServiceHome } from './service-home.ts'
import { openTerminal } from './tmux.ts'

// Each command is a process of its own; on a busy machine a few of them take a while.
vi.setConfig({ testTimeout: 120_000 })

let fixture: ServiceHome
let slow: ServiceHome
beforeAll(async () => {
  fixture = await createServiceHome()
  slow = await createServiceHome({ pieces: 20_000, pacing: { everyMs: 20 } })
})
afterAll(async () => {
  await fixture[Symbol.asyncDispose]()
  await slow[Symbol.asyncDispose]()
})

const messages = (from = fixture) => JSON.parse(lastCompletion(from.service)?.body ?? '{}').messages

describe('airlock chat in a pipe', () => {
  it('takes each line as a message and remembers what was said', async () => {
    const { code, stdout, stderr } = await airlock(['chat'], {
      env: fixture.home.env,
      stdin: 'first\n\nsecond\n',
    })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^You said: "first"\..*\nYou said: "second"\..*\n$/)
    expect(messages().map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant', 'user'])
  })

  it('joins lines that end in a backslash', async () => {
    await airlock(['chat', '--system', 'Hm.'], { env: fixture.home.env, stdin: 'one\\\ntwo' })
    expect(messages()).toEqual([
      { role: 'system', content: 'Hm.' },
      { role: 'user', content: 'one\ntwo' },
    ])
  })

  it('fails where an answer fails', async () => {
    const { code, stderr } = await airlock(['chat', '-m', 'openai-compatible/gone'], {
      env: fixture.home.env,
      stdin: 'hi\n',
    })
    expect(code).toBe(1)
    expect(stderr).toContain('"gone" does not exist')
  })

  it('prints events with --json', async () => {
    const { lines } = await airlock(['chat', '--json'], { env: fixture.home.env, stdin: 'hi\n' })
    expect(JSON.parse(lines.at(-1) ?? '')).toEqual({ type: 'stop', reason: 'end-turn' })
  })
})

const onTerminal = needs('tmux')

describe('airlock chat on a terminal', () => {
  onTerminal('answers, knows its commands, and leaves with Ctrl-D', async () => {
    await using terminal = await openTerminal(['chat'], { env: fixture.home.env })
    await terminal.shows(/openai-compatible\/parrot-1\. \/help for commands/)
    await terminal.type('good morning')
    await terminal.press('Enter')
    await terminal.shows(/You said: "good morning"[\s\S]* I liked it\.\s+\d+ tokens in, \d+ out\s+> *\n/)

    await terminal.type('/help')
    await terminal.press('Enter')
    await terminal.shows(/\/model \[MODEL\]/)
    await terminal.type('/modle')
    await terminal.press('Enter')
    await terminal.shows(/There is no \/modle\. Did you mean \/model\?/)
    await terminal.type('/model openai-compatible/parrot-1-mini')
    await terminal.press('Enter')
    await terminal.shows(/Now with openai-compatible\/parrot-1-mini\./)
    await terminal.type('/clear')
    await terminal.press('Enter')
    await terminal.shows(/Forgotten\./)
    await terminal.type('again')
    await terminal.press('Enter')
    await terminal.shows(/I am Parrot 1 mini/)
    expect(messages()).toEqual([{ role: 'user', content: 'again' }])
    await terminal.press('C-d')
    expect(await terminal.exitCode()).toBe(0)
  })

  onTerminal('edits a line and goes back in history', async () => {
    await using terminal = await openTerminal(['chat'], { env: fixture.home.env })
    await terminal.shows(/> *\n/)
    await terminal.type('wprld')
    await terminal.press('C-a')
    await terminal.type('hello ')
    await terminal.press('Right')
    await terminal.press('C-e', 'BSpace', 'BSpace', 'BSpace', 'BSpace', 'BSpace')
    await terminal.type('world')
    await terminal.press('Enter')
    await terminal.shows(/You said: "hello world"[\s\S]*out\s+> *\n/)
    await terminal.press('Up')
    await terminal.shows(/out\s+> hello world/)
    await terminal.type(' twice')
    await terminal.press('Enter')
    await terminal.shows(/You said: "hello world\s+twice"/)
    await terminal.type('/exit')
    await terminal.press('Enter')
    expect(await terminal.exitCode()).toBe(0)
  })

  onTerminal('takes several lines by backslash and by paste as one message', async () => {
    await using terminal = await openTerminal(['chat'], { env: fixture.home.env })
    await terminal.shows(/> *\n/)
    await terminal.type('one\\')
    await terminal.press('Enter')
    await terminal.shows(/> one\\\n\. *\n/)
    await terminal.type('two')
    await terminal.press('Enter')
    await terminal.shows(/I liked it\.[\s\S]*out\s+> *\n/)
    expect(messages().at(-1).content).toBe('one\ntwo')

    await terminal.paste('three\nfour\nfive')
    await terminal.shows(/> three\n\. four\n\. five/)
    await terminal.press('Enter')
    await expect.poll(() => messages().at(-1).content, { timeout: 20_000 }).toBe('three\nfour\nfive')
  })

  onTerminal('Ctrl-C stops the answer and not the program; twice at the prompt it leaves', async () => {
    await using terminal = await openTerminal(['chat'], { env: slow.home.env })
    await terminal.shows(/> *\n/)
    await terminal.type('talk')
    await terminal.press('Enter')
    await terminal.shows(/word word/)
    await terminal.type('meanwhile')
    await terminal.press('C-c')
    await terminal.shows(/\(stopped\)\n> meanwhile/)
    await expect.poll(() => lastCompletion(slow.service)?.outcome, { timeout: 5_000 }).toBe('dropped')
    await terminal.press('C-c')
    await terminal.shows(/> meanwhile\n> *\n/)
    await terminal.type('go on')
    await terminal.press('Enter')
    await terminal.shows(/> go on\s+word word/)
    expect(messages(slow).map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant', 'user'])
    await terminal.press('C-c')
    await terminal.shows(/\(stopped\)\n> *\n/)
    await terminal.press('C-c')
    await terminal.shows(/Ctrl-C again, or Ctrl-D, to leave/)
    await terminal.press('C-c')
    expect(await terminal.exitCode()).toBe(0)
  })

  onTerminal('goes on after an answer that failed', async () => {
    await using terminal = await openTerminal(['chat', '-m', 'openai-compatible/gone'], {
      env: fixture.home.env,
    })
    await terminal.shows(/> *\n/)
    await terminal.type('hi')
    await terminal.press('Enter')
    await terminal.shows(/airlock: .*"gone" does not exist[\s\S]*> *\n/)
    await terminal.press('C-d')
    expect(await terminal.exitCode()).toBe(0)
  })
})

describe('airlock install on a terminal', () => {
  onTerminal('asks, at 40 columns, and takes no for an answer', async () => {
    const env = { ...fixture.home.env, AIRLOCK_HOME: `${fixture.home.folder}/elsewhere` }
    await using terminal = await openTerminal(['install', 'openai-compatible'], { env, columns: 40 })
    const screen = await terminal.shows(/Install openai-compatible and allow/)
    expect(screen).toMatch(/ {2}Variables\n {4}OPENAI_COMPATIBLE_API_KEY \(used,\n {4}never seen\)/)
    await terminal.press('n')
    expect(await terminal.exitCode()).toBe(4)

    await using second = await openTerminal(['install', 'openai-compatible'], { env })
    await second.shows(/Install openai-compatible and allow/)
    await second.press('C-c')
    expect(await second.exitCode()).toBe(130)

    await using third = await openTerminal(['install', 'openai-compatible'], { env })
    await third.shows(/Install openai-compatible and allow/)
    await third.press('y')
    await third.shows(/Installed openai-compatible 0\.1\.0\./)
    expect(await third.exitCode()).toBe(0)
  })
})
