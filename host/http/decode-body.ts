import type { Transform } from 'node:stream'
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib'
import { TransportError } from '../errors.ts'
import type { HttpLimits } from '../policy/limits.ts'
import type { ResponseBody } from './body.ts'
import { createBodySource } from './body-source.ts'

/** Codings of one response; more than two have no honest use. */
const MAX_CODINGS = 2

const DECODERS: Readonly<Record<string, (first: number) => Transform>> = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  // RFC 9110, 8.4.1.2: "deflate" is a zlib stream; some servers send it bare. A zlib header's low bits are 8.
  deflate: first => ((first & 0x0f) === 8 ? createInflate() : createInflateRaw()),
  br: () => createBrotliDecompress(),
  zstd: () => createZstdDecompress(),
}

/** The names of the codings, in the order in which they must be undone. Throws TransportError for an unknown one. */
export function readCodings(contentEncoding: string | undefined, origin: string): string[] {
  const codings = (contentEncoding ?? '')
    .toLowerCase()
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '' && name !== 'identity')
  const unknown = codings.find(name => !Object.hasOwn(DECODERS, name))
  if (unknown !== undefined || codings.length > MAX_CODINGS) {
    throw new TransportError(
      'invalid-response',
      `Cannot read the answer of ${origin}: its content-encoding is not one of identity, gzip, deflate, br and zstd`,
    )
  }
  return codings.reverse()
}

/**
 * Undoes one coding while it streams. What it becomes is bounded in size and, past a grace, in its ratio to what
 * came: a bomb ends as TransportError 'too-large' with the connection closed.
 */
export function decodeBody(
  encoded: ResponseBody,
  coding: string,
  origin: string,
  limits: HttpLimits,
  onSettled: () => void,
): ResponseBody {
  let decoder: Transform | undefined
  let encodedBytes = 0
  let decodedBytes = 0

  const source = createBodySource(
    {
      pause: () => decoder?.pause(),
      resume: () => decoder?.resume(),
      abort(reason) {
        decoder?.destroy()
        encoded.cancel(reason)
      },
    },
    onSettled,
  )

  function fail(error: TransportError): void {
    decoder?.destroy()
    source.error(error)
    encoded.cancel(error)
  }

  function start(first: number): Transform {
    const made = DECODERS[coding]?.(first)
    if (made === undefined) throw new TypeError(`no decoder for ${coding}`)
    made.on('data', (chunk: Uint8Array) => {
      decodedBytes += chunk.length
      const ratioHolds =
        decodedBytes <= limits.ratioGraceBytes || decodedBytes <= encodedBytes * limits.maxDecodeRatio
      if (decodedBytes > limits.maxBodyBytes || !ratioHolds) {
        fail(
          new TransportError(
            'too-large',
            `The answer of ${origin} was stopped: ${encodedBytes} bytes decode to more than ${decodedBytes}`,
          ),
        )
      } else source.data(chunk)
    })
    made.on('drain', () => encoded.resume())
    made.on('end', () => source.end())
    made.on('error', () =>
      fail(
        new TransportError(
          'invalid-response',
          `Cannot read the answer of ${origin}: it is not valid ${coding}`,
        ),
      ),
    )
    return made
  }

  encoded.pipe({
    data(chunk) {
      if (chunk.length === 0) return
      encodedBytes += chunk.length
      decoder ??= start(chunk[0] ?? 0)
      if (!decoder.write(chunk)) encoded.pause()
    },
    end() {
      // The answer to HEAD, or 204: named a coding and has no body.
      if (decoder === undefined) source.end()
      else decoder.end()
    },
    error(error) {
      decoder?.destroy()
      source.error(error)
    },
  })
  return source.body
}
