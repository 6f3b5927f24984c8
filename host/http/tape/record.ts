import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { findTokenFields } from '../../credentials/find-tokens.ts'
import { replacePlaceholders } from '../../credentials/inject.ts'
import type { Placeholders } from '../../credentials/placeholders.ts'
import { TransportError } from '../../errors.ts'
import { writePrivate } from '../../home/write-private.ts'
import { isCredentialHeader } from '../../policy/headers.ts'
import type { ResponseBody } from '../body.ts'
import type { Exchange, OutgoingRequest } from '../egress.ts'
import { type RecordedExchange, toRecordedBody, toRecordedBytes } from './exchange-file.ts'
import { FACTS_FILE, type OpenTape, type RecordedFacts } from './tape.ts'

const NAME_CHARS = 60
const REMOVED = '[removed]'

/** Keeps each exchange in a file of its own, below `folder`, without any secret. */
export function recordTo(folder: string): OpenTape {
  return ({ extension, egress, placeholders, failed }) => {
    const own = join(folder, extension)
    const clean = cleaner(placeholders)
    const writing = new Set<Promise<void>>()
    let counting: Promise<number> | undefined
    let count = 0
    let lastFacts = ''
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

    function write(name: string, value: unknown): Promise<void> {
      const written = writePrivate(join(own, name), `${JSON.stringify(value, null, 2)}\n`)
      return track(written)
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
          body: toRecordedBody(Buffer.from(clean(Buffer.from(body).toString('latin1')), 'latin1')),
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
          const keep = (rest: Omit<RecordedExchange, 'request'>) =>
            void track(number.then(n => write(fileName(n, recorded), { request: recorded, ...rest })))
          let exchange: Exchange
          try {
            exchange = await egress.send(request, options)
          } catch (error) {
            keep({ failure: toFailure(error, clean) })
            throw error
          }
          const { status, url, headers } = exchange
          const response = { status, url: clean(url), headers: cleanHeaders(headers, clean) }
          const body = tap(exchange.body, (chunks, error) => {
            const cleaned = withoutTokens(chunks, headers)
            keep({
              response: {
                ...response,
                chunks: cleaned.map(chunk => toRecordedBytes(cleanBytes(chunk, clean))),
              },
              ...(error !== undefined && { failure: toFailure(error, clean) }),
            })
          })
          return { ...exchange, body }
        },
        async close() {
          await egress.close()
          while (writing.size > 0) await Promise.all(writing)
        },
      },
      async facts(facts) {
        const recorded: RecordedFacts = {
          credentials: cleanValues(facts.credentials, clean),
          env: cleanValues(facts.env, clean),
        }
        const text = JSON.stringify(recorded)
        if (text !== lastFacts) {
          lastFacts = text
          await write(FACTS_FILE, recorded)
        }
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

/** Names stand-ins, which are random words, and takes out what the redactor knows. */
function cleaner(placeholders: Placeholders): (text: string) => string {
  const redactor = placeholders.redactor()
  const name = (placeholder: string) => standInName(placeholders.reveal(placeholder)?.key ?? 'unknown')
  return text => replacePlaceholders(redactor.text(text), name)
}

/** The same in every recording, and as it is in a URL and a header: `airlock-secret-credential-anthropic`. */
function standInName(key: string): string {
  return `airlock-secret-${key.replace(/[^0-9A-Za-z]+/g, '-')}`
}

function cleanBytes(bytes: Uint8Array, clean: (text: string) => string): Uint8Array {
  // Latin-1 there and back leaves every byte as it is; stand-ins and their names are ASCII.
  const latin = Buffer.from(bytes).toString('latin1')
  const cleaned = clean(latin)
  return cleaned === latin ? bytes : Buffer.from(cleaned, 'latin1')
}

function cleanHeaders(
  headers: readonly (readonly [string, string])[],
  clean: (text: string) => string,
): [string, string][] {
  return headers.map(([name, value]) => {
    const cleaned = clean(value)
    // What is no stand-in may be made of one, such as the value of `Basic`.
    const isOpen = !isCredentialHeader(name) || cleaned !== value
    return [name, isOpen ? cleaned : REMOVED]
  })
}

function cleanValues(
  values: Record<string, string>,
  clean: (text: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, clean(value)]))
}

/** Tokens of an answer that nobody knows yet: those of a sign-in. */
function withoutTokens(
  chunks: readonly Uint8Array[],
  headers: readonly (readonly [string, string])[],
): Uint8Array[] {
  const type = headers.find(([name]) => name === 'content-type')?.[1] ?? ''
  if (!/json|x-www-form-urlencoded/i.test(type)) return [...chunks]
  const whole = Buffer.concat(chunks)
  const tokens = findTokenFields(whole)
  if (tokens.length === 0) return [...chunks]
  let text = whole.toString('utf8')
  for (const [name, value] of tokens) if (value !== '') text = text.replaceAll(value, standInName(name))
  return [Buffer.from(text)]
}

function toFailure(
  error: unknown,
  clean: (text: string) => string,
): NonNullable<RecordedExchange['failure']> {
  if (!(error instanceof TransportError)) return { code: 'cancelled', message: 'The caller cancelled it' }
  return { code: error.code, message: clean(error.message) }
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
      end(reason ?? new Error('cancelled'))
      body.cancel(reason)
    },
  }
}
