import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { AirlockError, PermissionDeniedError, TransportError, type TransportErrorCode } from '../../errors.ts'
import type { ResponseBody } from '../body.ts'
import { createBodySource } from '../body-source.ts'
import type { Egress, Exchange, OutgoingRequest } from '../egress.ts'
import {
  CANCELLED,
  exchangeSchema,
  fromRecordedBytes,
  type RecordedExchange,
  toRecordedBody,
} from './exchange-file.ts'
import { readFacts, replayedFacts } from './facts-file.ts'
import type { OpenTape } from './tape.ts'

/** How long an exchange that its caller had left says nothing before it ends. */
const SILENCE_MS = 1_000

const TRANSPORT_CODES: Readonly<Record<TransportErrorCode, true>> = {
  'connect-failed': true,
  'dns-failed': true,
  'tls-failed': true,
  'timed-out': true,
  'connection-lost': true,
  'too-large': true,
  'invalid-response': true,
  'invalid-request': true,
  'too-many-redirects': true,
}

interface Recorded {
  file: string
  exchange: RecordedExchange
}

/**
 * Answers from what was recorded, and asks no network. A request is the one that was recorded where method, URL and
 * body are the same; the same request several times gets the answers in their order, and then the last one again.
 */
export function replayFrom(folder: string): OpenTape {
  return ({ extension, egress }) => {
    const own = join(folder, extension)
    const used = new Set<Recorded>()
    let loading: Promise<Recorded[]> | undefined

    function load(): Promise<Recorded[]> {
      loading ??= readExchanges(own)
      return loading
    }

    async function find(request: RecordedExchange['request']): Promise<Recorded> {
      const all = await load()
      const same = all.filter(({ exchange }) => isSame(exchange.request, request))
      const next = same.find(recorded => !used.has(recorded)) ?? same.at(-1)
      if (!next) throw notRecorded(request, all, own)
      used.add(next)
      return next
    }

    const send: Egress['send'] = async (request, { signal } = {}) => {
      signal?.throwIfAborted()
      const { exchange } = await find(toRequest(request))
      signal?.throwIfAborted()
      const { response, failure } = exchange
      if (!response) {
        if (failure?.code === CANCELLED) await silence(signal)
        throw toError(failure)
      }
      return {
        ...response,
        body: play(response.chunks.map(fromRecordedBytes), failure, signal),
      } satisfies Exchange
    }

    return {
      egress: { ...egress, send, prepare: async () => {} },
      facts: async facts => {
        const recorded = await readFacts(own)
        return recorded ? replayedFacts(recorded, facts) : facts
      },
    }
  }
}

async function readExchanges(folder: string): Promise<Recorded[]> {
  const names = await readdir(folder).catch((cause: unknown) => {
    throw new TransportError('invalid-request', `Cannot replay: nothing is recorded in ${folder}`, { cause })
  })
  const files = names
    .filter(name => /^\d+-.*\.json$/.test(name))
    .sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
  return Promise.all(
    files.map(async file => {
      try {
        return {
          file,
          exchange: exchangeSchema.parse(JSON.parse(await readFile(join(folder, file), 'utf8'))),
        }
      } catch (cause) {
        const message = `Cannot replay: ${join(folder, file)} is no recorded exchange`
        throw new TransportError('invalid-request', message, { cause })
      }
    }),
  )
}

function toRequest({ method, url, headers, body }: OutgoingRequest): RecordedExchange['request'] {
  return {
    method,
    url,
    headers: headers.map(([name, value]) => [name, value]),
    ...(body && { body: toRecordedBody(body) }),
  }
}

function isSame(a: RecordedExchange['request'], b: RecordedExchange['request']): boolean {
  return a.method === b.method && a.url === b.url && isDeepStrictEqual(a.body, b.body)
}

function notRecorded(
  request: RecordedExchange['request'],
  all: readonly Recorded[],
  folder: string,
): TransportError {
  const there = all.filter(
    ({ exchange }) => exchange.request.method === request.method && exchange.request.url === request.url,
  )
  const last = there.at(-1)
  const what = `${request.method} ${request.url}`
  const why = last
    ? `${last.file} differs in ${firstDifference(last.exchange.request.body, request.body)}`
    : `there are ${[...new Set(all.map(({ exchange }) => `${exchange.request.method} ${exchange.request.url}`))].join(', ') || 'no exchanges'}`
  return new TransportError(
    'invalid-request',
    `Cannot replay ${what}: ${folder} holds no such request: ${why}. Record it again where the request has changed.`,
  )
}

/** Where two bodies differ first, e.g. `body.messages[1].content`. */
function firstDifference(a: unknown, b: unknown, path = 'body'): string {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return path
  const keys = new Set([...Object.keys(a), ...Object.keys(b)])
  for (const key of keys) {
    const [left, right] = [(a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]]
    if (isDeepStrictEqual(left, right)) continue
    const inner =
      path === 'body' && key === 'json' ? path : Array.isArray(a) ? `${path}[${key}]` : `${path}.${key}`
    return firstDifference(left, right, inner)
  }
  return path
}

function toError(failure: RecordedExchange['failure']): Error {
  if (!failure) return new TransportError('connection-lost', 'The exchange was recorded without an answer')
  const { code, message, permission } = failure
  if (code === CANCELLED)
    return new TransportError('connection-lost', 'The exchange was left before its end when it was recorded')
  if (permission !== undefined) return new PermissionDeniedError(permission, message)
  if (Object.hasOwn(TRANSPORT_CODES, code)) return new TransportError(code as TransportErrorCode, message)
  return new AirlockError(code, message)
}

/** Time for a caller who leaves again, for a reason of its own. */
async function silence(signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, SILENCE_MS)
  const leave = () => reject(signal?.reason)
  signal?.addEventListener('abort', leave, { once: true })
  try {
    await promise
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', leave)
  }
}

/** Hands over the chunks as they came, each in a turn of its own. */
function play(
  chunks: readonly Uint8Array[],
  failure: RecordedExchange['failure'],
  signal: AbortSignal | undefined,
): ResponseBody {
  let at = 0
  let paused = false
  let next: NodeJS.Immediate | undefined
  let silent: NodeJS.Timeout | undefined
  const abort = () => source.body.cancel(signal?.reason)
  const source = createBodySource(
    {
      pause: () => (paused = true),
      resume() {
        paused = false
        go()
      },
      abort() {
        clearImmediate(next)
        clearTimeout(silent)
      },
    },
    () => signal?.removeEventListener('abort', abort),
  )
  signal?.addEventListener('abort', abort, { once: true })

  function go() {
    clearImmediate(next)
    next = setImmediate(() => {
      const chunk = chunks[at++]
      if (chunk) source.data(chunk)
      else if (failure?.code === CANCELLED)
        silent ??= setTimeout(() => source.error(toError(failure)), SILENCE_MS)
      else if (failure) source.error(toError(failure))
      else source.end()
      if (chunk && !paused) go()
    })
  }
  go()
  return source.body
}
