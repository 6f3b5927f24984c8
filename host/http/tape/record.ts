import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { AirlockError, PermissionDeniedError } from '../../errors.ts'
import { writePrivate } from '../../home/write-private.ts'
import { isCredentialHeader } from '../../policy/headers.ts'
import type { ResponseBody } from '../body.ts'
import type { Exchange, OutgoingRequest } from '../egress.ts'
import { type Clean, cleanBytes, cleanExchange } from './clean-exchange.ts'
import {
  CANCELLED,
  exchangeSchema,
  type RecordedExchange,
  toRecordedBody,
  toRecordedBytes,
} from './exchange-file.ts'
import { addFacts, FACTS_FILE, factsText, readFacts } from './facts-file.ts'
import { createNames } from './names.ts'
import type { OpenTape, RecordedFacts } from './tape.ts'

const NAME_CHARS = 60
const REMOVED = '[removed]'

/** Keeps each exchange in a file of its own, below `folder`, without any secret. */
export function recordTo(folder: string): OpenTape {
  return ({ extension, egress, placeholders, failed }) => {
    const own = join(folder, extension)
    const { clean, learnTokens, learnCredentials } = createNames(placeholders)
    /** The files of exchanges that this session has written. */
    const files = new Set<string>()
    const writing = new Set<Promise<void>>()
    let counting: Promise<number> | undefined
    let count = 0
    let lastFacts: string | undefined
    let factsSoFar: Promise<RecordedFacts | undefined> | undefined
    let rewriting: Promise<unknown> = Promise.resolve()
    let hasFailed = false

    /** Goes on where an earlier recording ended. */
    function nextNumber(): Promise<number> {
      counting ??= mkdir(own, { recursive: true }).then(async () => {
        const numbers = (await readdir(own)).map(name => Number.parseInt(name, 10)).filter(Number.isInteger)
        count = Math.max(0, ...numbers)
        return count
      })
      return counting.then(() => ++count)
    }

    function write(name: string, text: string): Promise<void> {
      return writePrivate(join(own, name), `${text}\n`)
    }

    async function writeExchange(name: string, exchange: RecordedExchange): Promise<void> {
      // Once more: what was learned since the request was sent.
      await write(name, JSON.stringify(cleanExchange(exchange, clean), null, 2))
      files.add(name)
    }

    /** A secret that became known after it had been written is taken out again. */
    async function rewrite(): Promise<void> {
      await Promise.all(writing)
      for (const name of files) {
        const exchange = exchangeSchema.parse(JSON.parse(await readFile(join(own, name), 'utf8')))
        const cleaned = cleanExchange(exchange, clean)
        if (!isDeepStrictEqual(cleaned, exchange)) await write(name, JSON.stringify(cleaned, null, 2))
      }
    }

    async function keepFacts(facts: RecordedFacts): Promise<void> {
      factsSoFar ??= readFacts(own)
      const before = await factsSoFar
      const now: RecordedFacts = {
        credentials: cleanValues(facts.credentials, clean),
        env: cleanValues(facts.env, clean),
        settings: Object.fromEntries(
          Object.entries(facts.settings).map(([provider, { apiUrl, ...rest }]) => [
            provider,
            { ...rest, ...(apiUrl !== undefined && { apiUrl: clean(apiUrl) }) },
          ]),
        ),
      }
      const kept = before ? addFacts(before, now) : now
      factsSoFar = Promise.resolve(kept)
      const text = factsText(kept)
      if (text === lastFacts) return
      lastFacts = text
      await write(FACTS_FILE, text)
    }

    /** A disk that is full breaks no answer: it is said once, and the answer goes on. */
    function track(work: Promise<unknown>): Promise<void> {
      const tracked = work.then(
        () => {},
        (error: unknown) => {
          if (!hasFailed)
            failed(`Cannot record to ${own}: ${error instanceof Error ? error.message : String(error)}`)
          hasFailed = true
        },
      )
      writing.add(tracked)
      void tracked.then(() => writing.delete(tracked))
      return tracked
    }

    function toRequest({ method, url, headers, body }: OutgoingRequest): RecordedExchange['request'] {
      return {
        method,
        url: clean(url),
        headers: cleanHeaders(headers, clean),
        ...(body && {
          body: toRecordedBody(cleanBytes(Buffer.from(body), clean)),
        }),
      }
    }

    return {
      egress: {
        ...egress,
        async send(request, options) {
          const number = nextNumber()
          number.catch(() => {})
          const recorded = toRequest(request)
          const keep = (rest: (n: number) => Omit<RecordedExchange, 'request'>) =>
            void track(
              number.then(n => writeExchange(fileName(n, recorded), { request: recorded, ...rest(n) })),
            )
          let exchange: Exchange
          try {
            exchange = await egress.send(request, options)
          } catch (error) {
            keep(() => ({ failure: toFailure(error, clean) }))
            throw error
          }
          const { status, url, headers } = exchange
          const response = { status, url: clean(url), headers: cleanHeaders(headers, clean) }
          const body = tap(exchange.body, (chunks, error) =>
            keep(n => {
              learnTokens(Buffer.concat(chunks), headers, n)
              return {
                response: { ...response, chunks: chunks.map(toRecordedBytes) },
                ...(error !== undefined && { failure: toFailure(error, clean) }),
              }
            }),
          )
          return { ...exchange, body }
        },
        async close() {
          await egress.close()
          while (writing.size > 0) await Promise.all(writing)
        },
      },
      async facts(facts) {
        // One after the other, and before the guest goes on: the folder is clean by then.
        const isNew = learnCredentials(facts.credentials)
        rewriting = rewriting.then(async () => {
          if (isNew && files.size + writing.size > 0) await track(rewrite())
          await track(keepFacts(facts))
        })
        await rewriting
        return facts
      },
    }
  }
}

/** `0007-post-v1-chat-completions.json`: in the order of the requests, and to be found by a person. */
function fileName(number: number, { method, url }: RecordedExchange['request']): string {
  const path = URL.parse(url)?.pathname ?? ''
  const name = `${method}${path}`
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
  return `${String(number).padStart(4, '0')}-${name.slice(0, NAME_CHARS)}.json`
}

function cleanHeaders(headers: readonly (readonly [string, string])[], clean: Clean): [string, string][] {
  return headers.map(([name, value]) => {
    const cleaned = clean(value)
    // What is no stand-in may be made of one, such as the value of `Basic`.
    const isOpen = !isCredentialHeader(name) || cleaned !== value
    return [name, isOpen ? cleaned : REMOVED]
  })
}

function cleanValues(values: Record<string, string>, clean: Clean): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, clean(value)]))
}

function toFailure(error: unknown, clean: Clean): NonNullable<RecordedExchange['failure']> {
  if (!(error instanceof AirlockError)) return { code: CANCELLED, message: 'The caller cancelled it' }
  return {
    code: error.code,
    message: clean(error.message),
    ...(error instanceof PermissionDeniedError && { permission: clean(error.permission) }),
  }
}

/** The same body, of which `ended` is told all that came. */
function tap(body: ResponseBody, ended: (chunks: Uint8Array[], error?: unknown) => void): ResponseBody {
  const chunks: Uint8Array[] = []
  let over = false
  const end = (...error: [unknown?]) => {
    if (!over) ended(chunks, ...error)
    over = true
  }
  return {
    pipe(sink) {
      body.pipe({
        data(chunk) {
          chunks.push(chunk.slice())
          sink.data(chunk)
        },
        end() {
          end()
          sink.end()
        },
        error(error) {
          end(error)
          sink.error(error)
        },
      })
    },
    pause: () => body.pause(),
    resume: () => body.resume(),
    cancel(reason) {
      // Whatever the reason is: it is the caller's.
      end(new Error('cancelled'))
      body.cancel(reason)
    },
  }
}
