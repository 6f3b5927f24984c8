import type {
  HttpResponse,
  HttpResponseWithStatus,
} from '../contract/generated/interfaces/airlock-llm-http-client.js'
import { httpRequest } from '../contract/guest-values.ts'
import { AirlockError } from '../errors.ts'
import type { Egress, Exchange } from '../http/egress.ts'
import { toOutgoingRequest } from '../http/outgoing-request.ts'
import { readBody } from '../http/read-body.ts'
import { type HttpLimits, resolveHttpLimits } from '../policy/limits.ts'
import { type ChunkReader, createChunkReader } from './chunk-reader.ts'

/** A WIT `result<T, string>`. The error is for a guest: it holds no secret and no query. */
export type HttpResult<T> = { ok: true; value: T } | { ok: false; error: string }

/** What a guest gets of a response stream: the rest is asked for by its handle. */
export interface StreamHead {
  handle: number
  status: number
  headers: [string, string][]
}

/**
 * The host side of `http-client`, and of `oauth-send-http-request`, for one sandbox. A request is what the guest
 * wrote and no more: the egress judges it. Nothing here rejects; every failure is an error of the result.
 */
export interface HttpClient {
  /** A status outside 200-299 is an error that names the status. */
  fetch(request: unknown, options?: { signal?: AbortSignal }): Promise<HttpResult<HttpResponse>>
  /** `fetch-fallible` and `oauth-send-http-request`: every status is a success. */
  fetchFallible(
    request: unknown,
    options?: { signal?: AbortSignal },
  ): Promise<HttpResult<HttpResponseWithStatus>>
  fetchStream(request: unknown, options?: { signal?: AbortSignal }): Promise<HttpResult<StreamHead>>
  /** The next bytes, or undefined at the end. A handle that was dropped, or never given, is an error. */
  nextChunk(handle: number): Promise<HttpResult<Uint8Array | undefined>>
  /** Ends a stream and frees its socket. A handle that was dropped, or never given, is nothing. */
  drop(handle: number): void
  /** Ends every open stream. */
  close(): void
}

export function createHttpClient(egress: Egress, limits?: Partial<HttpLimits>): HttpClient {
  const { maxOpenStreams, maxWholeBytes } = resolveHttpLimits(limits)
  const streams = new Map<number, ChunkReader>()
  let opening = 0
  let lastHandle = 0
  let closed = false

  async function send(request: unknown, options: { signal?: AbortSignal } = {}): Promise<Exchange> {
    return egress.send(toOutgoingRequest(httpRequest.parse(request)), { ...options, secretsAs: 'stand-ins' })
  }

  async function fetchWhole(
    request: unknown,
    options?: { signal?: AbortSignal },
  ): Promise<HttpResponseWithStatus> {
    const { status, headers, body } = await send(request, options)
    return { status, headers, body: await readBody(body, maxWholeBytes) }
  }

  return {
    fetch: (request, options) =>
      result(async () => {
        const { status, headers, body } = await fetchWhole(request, options)
        if (status < 200 || status > 299)
          throw new AirlockError('http-status', `The service answered ${status}`)
        return { headers, body }
      }),

    fetchFallible: (request, options) => result(() => fetchWhole(request, options)),

    fetchStream: (request, options) =>
      result(async () => {
        if (streams.size + opening >= maxOpenStreams) {
          throw new AirlockError(
            'too-many-streams',
            `Cannot open a response stream: ${maxOpenStreams} are open, the most there may be; drop one first`,
          )
        }
        opening++
        try {
          const { status, headers, body } = await send(request, options)
          const reader = createChunkReader(body)
          // The sandbox ended while the answer was on its way.
          if (closed) reader.cancel()
          const handle = ++lastHandle
          streams.set(handle, reader)
          return { handle, status, headers }
        } finally {
          opening--
        }
      }),

    nextChunk: handle =>
      result(async () => {
        const reader = streams.get(handle)
        if (reader === undefined)
          throw new AirlockError('no-such-stream', 'Cannot read a response stream that was dropped')
        return await reader.next()
      }),

    drop(handle) {
      streams.get(handle)?.cancel()
      streams.delete(handle)
    },

    close() {
      closed = true
      for (const reader of streams.values()) reader.cancel()
      streams.clear()
    },
  }
}

async function result<T>(run: () => Promise<T>): Promise<HttpResult<T>> {
  try {
    return { ok: true, value: await run() }
  } catch (error) {
    return { ok: false, error: tell(error) }
  }
}

/** Messages of our own are written for a guest to read; of anything else it learns that it happened. */
function tell(error: unknown): string {
  if (error instanceof AirlockError) return error.message
  if (error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError'))
    return 'The call was stopped'
  return 'The request failed inside the host'
}
