import assert from 'node:assert/strict'
import type { Answer } from '../servers/scripted.ts'
import { answering, type Bench, type BenchRequest, type Seen } from './bench.ts'
import { checkFailed, checkSeen, joined } from './checks.ts'
import type { Behaviour } from './exchange.ts'
import type { ScriptedAnswer } from './services/service.ts'

/** One row of the table; `isSilent` ones need a bench whose limits end what says nothing. */
export interface Failure extends Behaviour {
  isSilent?: boolean
}

const hi: BenchRequest = { messages: [{ role: 'user', content: 'Hi.' }] }
const withTool: BenchRequest = { ...hi, tools: [{ name: 'look', inputSchema: { type: 'object' } }] }
const TEXT = 'An airlock is a room with two doors.'
const spoken: ScriptedAnswer = { pieces: [{ text: TEXT }], stop: 'end-turn' }
const whole: ScriptedAnswer = {
  pieces: [
    { thinking: 'Let me think.' },
    { text: TEXT },
    { call: { id: 'abc123DEF', name: 'look', input: '{"id":1}' } },
  ],
  stop: 'tool-use',
}

const KINDS: Readonly<Record<number, readonly string[]>> = {
  400: ['invalid-request'],
  401: ['authentication'],
  403: ['permission'],
  404: ['model-not-found'],
  408: ['other'],
  413: ['invalid-request', 'context-length-exceeded'],
  429: ['rate-limited'],
  500: ['other'],
  503: ['overloaded'],
  529: ['overloaded'],
}

const MESSAGES: Readonly<Record<number, string>> = {
  401: 'Wrong key',
  404: 'The model does not exist',
  429: 'Slow down, please',
}

const JSON_TYPE = { 'content-type': 'application/json' }
const WEB_PAGE =
  '<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body><h1>cloudflare</h1></body></html>'

function status(code: number): Failure {
  return {
    id: String(code),
    title: String(code),
    async check(bench) {
      const said = MESSAGES[code] ?? `This is error ${code}`
      const { headers = {}, body } = bench.subject.dialect.errorBody(code, said)
      const wait: Record<string, string> = code === 429 ? { 'retry-after': '7' } : {}
      const answer: Answer = { status: code, headers: { ...JSON_TYPE, ...headers, ...wait }, body: [body] }
      const seen = await bench.ask(hi, answer)
      const error = checkFailed(seen, KINDS[code])
      assert.equal(error.status, code)
      assert.ok(error.message.includes(said), error.message)
      assert.equal(error.retryAfterMs, code === 429 ? 7_000 : undefined)
      seen.received()
    },
  }
}

/** The text that came before must be told, and be the beginning of the answer. */
function checkPartial(seen: Seen, kinds: readonly string[], complete = TEXT) {
  const error = checkFailed(seen, kinds)
  assert.ok(complete.startsWith(joined(seen, 'text')), joined(seen, 'text'))
  assert.deepEqual(error.partial, seen.events)
  return error
}

export const FAILURES: readonly Failure[] = [
  ...[400, 401, 403, 404, 408, 413, 429, 500].map(status),
  {
    id: '502',
    title: '502 web page',
    async check(bench) {
      const answer: Answer = { status: 502, headers: { 'content-type': 'text/html' }, body: [WEB_PAGE] }
      const error = checkFailed(await bench.ask(hi, answer), ['overloaded'])
      assert.equal(error.status, 502)
      assert.doesNotMatch(error.message, /[<>]/)
    },
  },
  ...[503, 529].map(status),
  {
    id: 'error-in-200',
    title: 'error in a 200',
    async check(bench) {
      const { dialect } = bench.subject
      // As JSON, and as JSON that is called a stream.
      for (const type of ['application/json', dialect.contentType]) {
        const { headers = {}, body } = dialect.errorBody(500, 'It broke')
        const answer: Answer = { headers: { ...headers, 'content-type': type }, body: [body] }
        const seen = await bench.ask(hi, answer)
        checkFailed(seen)
        assert.equal(joined(seen, 'text'), '')
      }
    },
  },
  {
    id: 'error-first',
    title: 'error first',
    async check(bench) {
      const { dialect } = bench.subject
      const answer = answering(bench.subject, spoken, () => [dialect.errorFrame('Too many people')])
      const seen = await bench.ask(hi, answer)
      const error = checkFailed(seen, [dialect.errorKind])
      assert.match(error.message, /Too many people/)
      assert.equal(joined(seen, 'text'), '')
    },
  },
  {
    id: 'error-mid-stream',
    title: 'error mid-stream',
    async check(bench) {
      const { dialect } = bench.subject
      const answer = answering(bench.subject, spoken, frames => {
        const end = dialect.needed(frames)
        return [...frames.slice(0, end - 1), dialect.errorFrame('Too many people'), ...frames.slice(-1)]
      })
      const seen = await bench.ask(hi, answer)
      const error = checkPartial(seen, [dialect.errorKind])
      assert.match(error.message, /Too many people/)
      assert.equal(joined(seen, 'text'), TEXT)
    },
  },
  {
    id: 'truncated',
    title: 'cut at every frame',
    check: bench => cutEverywhere(bench, 'end'),
  },
  {
    id: 'torn',
    title: 'connection torn',
    check: bench => cutEverywhere(bench, 'destroy'),
  },
  {
    id: 'wrong-type',
    title: 'wrong content type',
    async check(bench) {
      const { dialect } = bench.subject
      const page: Answer = { headers: { 'content-type': 'text/html' }, body: [WEB_PAGE] }
      const seen = await bench.ask(hi, page)
      checkFailed(seen)
      assert.equal(joined(seen, 'text'), '')
      // A right body under a wrong name is right.
      for (const type of ['text/plain', 'application/octet-stream', undefined]) {
        const good = answering(bench.subject, spoken)
        const named = { ...good, headers: type === undefined ? {} : { 'content-type': type } }
        checkSeen(await bench.ask(hi, named), spoken, dialect)
      }
    },
  },
  {
    id: 'slow',
    title: 'slow',
    async check(bench) {
      const bytes = bench.subject.dialect
        .stream(whole)
        .flatMap(frame => [...Buffer.from(frame)].map(byte => Uint8Array.of(byte)))
      const seen = await bench.ask(
        withTool,
        answering(bench.subject, whole, () => bytes),
      )
      checkSeen(seen, whole, bench.subject.dialect)
    },
  },
  {
    id: 'silent',
    title: 'silent',
    isSilent: true,
    async check(bench) {
      const { dialect } = bench.subject
      const some = answering(bench.subject, spoken, frames => frames.slice(0, dialect.needed(frames) - 1))
      const [never, silent] = await Promise.all([
        bench.ask(hi, 'never'),
        bench.ask(hi, { ...some, ending: 'hang' }),
      ])
      for (const seen of [never, silent]) {
        assert.equal(checkPartial(seen, ['network']).code, 'timed-out')
        // The socket is given back.
        assert.equal(await seen.requests[0]!.closed, 'client-gone')
      }
    },
  },
]

/** Wherever the answer breaks off, between two frames or inside one, it is not a whole answer. */
async function cutEverywhere(bench: Bench, ending: 'end' | 'destroy'): Promise<void> {
  const { dialect } = bench.subject
  const frames = dialect.stream(whole)
  const needed = frames.slice(0, dialect.needed(frames)).map(frame => Buffer.from(frame))
  const cuts = needed.flatMap((frame, at) => {
    const before = needed.slice(0, at)
    return [before, [...before, frame.subarray(0, Math.floor(frame.length / 2))]]
  })
  await Promise.all(
    cuts.map(async (body, at) => {
      const answer = { ...answering(bench.subject, whole, () => body), ending }
      const seen = await bench.ask(withTool, answer)
      try {
        checkPartial(seen, ending === 'destroy' ? ['network'] : ['network', 'other'])
      } catch (cause) {
        throw new Error(`cut ${at} of ${cuts.length}: ${String(cause)}`, { cause })
      }
    }),
  )
}
