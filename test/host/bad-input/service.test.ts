import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ProviderError, type ProviderErrorKind } from '../../../host/errors.ts'
import { type Airlock, createAirlock } from '../../../host/index.ts'
import { modelList } from '../../servers/model-list.ts'
import { type RecordedRequest, type Script, type Step, startScriptedServer } from '../../servers/scripted.ts'
import { airlock as cli } from '../../support/cli.ts'
import { createTestHome, type TestHome } from '../../support/home.ts'

const MiB = 1024 * 1024
const json = { 'content-type': 'application/json' }
const html = { 'content-type': 'text/html; charset=utf-8' }
const page = `<!doctype html>
<html><head><title>502 Bad Gateway</title><style>body { color: red }</style></head>
<body><h1>Bad gateway</h1><p>The web server reported a bad gateway error.</p></body></html>`

interface BadService {
  name: string
  script: Script
  error: {
    kind: ProviderErrorKind
    code: string
    status?: number
    retryAfterMs?: number
    message: RegExp
  }
  /** The text that had come by then. Default: none. */
  partial?: string
  /** What the command ends with. */
  exit: number
}

const table: BadService[] = [
  {
    name: 'hangs before its headers',
    script: 'never',
    error: { kind: 'network', code: 'timed-out', message: /./ },
    exit: 1,
  },
  {
    name: 'hangs after its headers',
    // A comment, since node:http keeps the headers back until there is a body.
    script: { body: [': hello\n\n'], ending: 'hang' },
    error: { kind: 'network', code: 'timed-out', message: /./ },
    exit: 1,
  },
  {
    name: 'hangs after some text',
    script: { body: [text('So far')], ending: 'hang' },
    error: { kind: 'network', code: 'timed-out', message: /./ },
    partial: 'So far',
    exit: 1,
  },
  {
    name: 'tears the connection down inside the body',
    script: { body: [text('So '), text('far').slice(0, 20)], ending: 'destroy' },
    error: { kind: 'network', code: 'connection-lost', message: /./ },
    partial: 'So ',
    exit: 1,
  },
  {
    name: 'ends its body without a reason',
    script: { body: [text('So far')] },
    error: { kind: 'network', code: 'network', message: /ended before the answer was complete/ },
    partial: 'So far',
    exit: 1,
  },
  {
    name: 'ends its body inside a character',
    script: { body: [text('So far'), brokenInside('好')] },
    error: { kind: 'network', code: 'invalid-response', message: /middle of a character/ },
    partial: 'So far',
    exit: 1,
  },
  {
    name: 'ends its body at once',
    script: { body: [] },
    error: { kind: 'network', code: 'network', message: /ended before the answer was complete/ },
    exit: 1,
  },
  {
    name: 'answers 502 with an HTML page',
    script: { status: 502, headers: html, body: [page] },
    error: { kind: 'overloaded', code: 'overloaded', status: 502, message: /^[^<>]*502 Bad Gateway[^<>]*$/ },
    exit: 1,
  },
  {
    name: 'answers 200 with an HTML page',
    script: { headers: html, body: [page.replace('502 Bad Gateway', 'Please log in')] },
    error: { kind: 'other', code: 'other', message: /^[^<>]*Please log in[^<>]*$/ },
    exit: 1,
  },
  {
    name: 'answers 401',
    script: {
      status: 401,
      headers: json,
      body: ['{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}'],
    },
    error: { kind: 'authentication', code: 'invalid_api_key', status: 401, message: /Incorrect API key/ },
    exit: 3,
  },
  {
    name: 'answers 403',
    script: { status: 403, headers: json, body: ['{"message":"Not for you"}'] },
    error: { kind: 'permission', code: 'permission', status: 403, message: /Not for you/ },
    exit: 4,
  },
  {
    name: 'answers 404',
    script: {
      status: 404,
      headers: json,
      body: ['{"error":{"message":"The model `m` does not exist","code":"model_not_found"}}'],
    },
    error: { kind: 'model-not-found', code: 'model_not_found', status: 404, message: /does not exist/ },
    exit: 1,
  },
  {
    name: 'answers 429 and says when to come back',
    script: {
      status: 429,
      headers: { ...json, 'retry-after': '7200' },
      body: ['{"error":{"message":"Slow down","type":"requests","code":"rate_limit_exceeded"}}'],
    },
    error: {
      kind: 'rate-limited',
      code: 'rate_limit_exceeded',
      status: 429,
      retryAfterMs: 7_200_000,
      message: /Slow down/,
    },
    exit: 1,
  },
  {
    name: 'answers 429 because nothing is left to spend',
    script: {
      status: 429,
      headers: json,
      body: ['{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}'],
    },
    error: { kind: 'quota-exhausted', code: 'insufficient_quota', status: 429, message: /quota/ },
    exit: 1,
  },
  {
    name: 'answers 500 with nothing',
    script: { status: 500, headers: json },
    error: { kind: 'other', code: 'other', status: 500, message: /500/ },
    exit: 1,
  },
  {
    name: 'sends an event that is not JSON',
    script: { body: [text('So far'), 'data: {"choices":[{"delta"\n\n', text('more')] },
    error: { kind: 'other', code: 'other', message: /JSON/ },
    partial: 'So far',
    exit: 1,
  },
  {
    name: 'sends an event whose JSON is of another shape',
    script: {
      body: ['data: [1,2,3]\n\n', 'data: "text"\n\n', 'data: {"choices":"none"}\n\n', 'data: null\n\n'],
    },
    error: { kind: 'other', code: 'other', message: /Cannot read the answer/ },
    exit: 1,
  },
  {
    name: 'sends bytes that are not UTF-8',
    script: { body: [text('So far'), Buffer.from(text('\xff\xfe'), 'latin1')] },
    error: { kind: 'network', code: 'invalid-response', message: /UTF-8/ },
    partial: 'So far',
    exit: 1,
  },
  {
    name: 'sends 100 MB without a line end',
    script: { body: endlessLine(100) },
    error: { kind: 'network', code: 'too-large', message: /longer than/ },
    exit: 1,
  },
]

let home: TestHome
let airlock: Airlock
const requests = new Map<string, RecordedRequest>()
const resources = new AsyncDisposableStack()

beforeAll(async () => {
  const server = resources.use(await startScriptedServer(serve))
  const models = ['good', ...table.map(({ name }) => name)]
  home = resources.use(await createTestHome({ serviceUrl: server.url, models }))
  airlock = resources.use(
    await createAirlock({ home: home.folder, env: {}, limits: { firstByteMs: 500, idleMs: 500 } }),
  )
})

afterAll(() => resources.disposeAsync())

function serve(request: RecordedRequest): Script {
  if (request.method === 'GET') return modelList()
  const { model } = JSON.parse(request.body.toString()) as { model: string }
  requests.set(model, request)
  return table.find(({ name }) => name === model)?.script ?? { body: [text('fine'), stop] }
}

describe('a service that', () => {
  test.each(table)('$name', async ({ name, script, error: expected, partial = '' }) => {
    const error = await failure(name)
    expect(error).toBeInstanceOf(ProviderError)
    const { message, ...fields } = expected
    expect(error).toMatchObject({ ...fields, provider: 'openai-compatible', model: name })
    expect(error.message).toMatch(message)
    expect(error.message.length).toBeLessThan(600)
    expect(textOf(error)).toBe(partial)

    // What never ends by itself must have been hung up on.
    const request = requests.get(name)
    if (script === 'never' || script.ending === 'hang') expect(await request?.closed).toBe('client-gone')
    await expectGoodAnswer(airlock)
  })

  test('sends 100 MB without a line end: it is hung up on at the limit', async () => {
    const request = requests.get('sends 100 MB without a line end')
    expect(await request?.closed).toBe('client-gone')
    expect(request?.bytesWritten).toBeLessThan(60 * MiB)
  })

  test('is down', async () => {
    const was = await startScriptedServer('never')
    await was.close()
    await using other = await createTestHome({ serviceUrl: was.url, models: ['good'] })
    await using lonely = await createAirlock({ home: other.folder, env: {} })
    const error = await failure('good', lonely)
    expect(error).toMatchObject({ kind: 'network', code: 'connect-failed' })
    expect(error.message).toContain(`127.0.0.1:${was.port}`)

    const { code, stdout, stderr } = await cli(['complete', '-m', 'openai-compatible/good', 'Hi'], {
      env: other.env,
    })
    expect(stderr).toContain(`127.0.0.1:${was.port}`)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })

    await using _back = await startScriptedServer({ body: [text('fine'), stop] }, { port: was.port })
    await expectGoodAnswer(lonely)
  })
})

describe('airlock complete --json, against a service that', () => {
  // The command has no short limits, so those that hang are left out.
  const quick = table.filter(({ error }) => error.code !== 'timed-out')
  test.each(quick)('$name: exit $exit', async ({ name, error: expected, partial = '', exit }) => {
    const { code, lines, stderr } = await cli(
      ['complete', '--json', '-m', `openai-compatible/${name}`, 'Hi'],
      {
        env: home.env,
      },
    )
    const printed = lines.map(line => JSON.parse(line) as { type: string; text?: string; error?: unknown })
    const { message: _, ...fields } = expected
    expect(printed.at(-1)).toMatchObject({ type: 'error', error: fields })
    expect(printed.map(event => event.text ?? '').join('')).toBe(partial)
    expect(printed.some(event => event.type === 'stop')).toBe(false)
    expect(stderr).not.toMatch(/^\s+at /m)
    expect(code).toBe(exit)
  })
})

async function failure(model: string, from = airlock): Promise<ProviderError> {
  const answer = from
    .complete({ model: `openai-compatible/${model}`, messages: [{ role: 'user', content: 'Hi' }] })
    .result()
  return answer.then(
    result => expect.fail(`It answered ${JSON.stringify(result)}`),
    (error: ProviderError) => error,
  )
}

function textOf({ partial }: ProviderError): string {
  return partial.map(event => (event.type === 'text' ? event.text : '')).join('')
}

async function expectGoodAnswer(from: Airlock): Promise<void> {
  const completion = from.complete({
    model: 'openai-compatible/good',
    messages: [{ role: 'user', content: 'Hi' }],
  })
  expect(await completion.result()).toMatchObject({ text: 'fine', stopReason: 'end-turn' })
}

function text(content: string): string {
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`
}

/** An event up to the first byte of the character in it. */
function brokenInside(character: string): Uint8Array {
  const event = Buffer.from(text(character))
  return event.subarray(0, event.indexOf(character) + 1)
}

const stop = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'

function endlessLine(mebibytes: number): Iterable<Step> {
  return {
    *[Symbol.iterator]() {
      yield 'data: '
      for (let sent = 0; sent < mebibytes; sent++) yield Buffer.alloc(MiB, 'x')
    },
  }
}
