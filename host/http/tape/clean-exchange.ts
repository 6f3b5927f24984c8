import {
  fromRecordedBytes,
  type RecordedBytes,
  type RecordedExchange,
  toRecordedBytes,
} from './exchange-file.ts'

export type Clean = (text: string) => string

// Longer than a secret that stands in an answer.
const WINDOW_BYTES = 16 * 1024

/** The exchange without what `clean` knows by now. */
export function cleanExchange(exchange: RecordedExchange, clean: Clean): RecordedExchange {
  const { request, response, failure } = exchange
  const all = (headers: readonly [string, string][]) =>
    headers.map(([name, value]): [string, string] => [name, clean(value)])
  return {
    request: {
      ...request,
      url: clean(request.url),
      headers: all(request.headers),
      ...(request.body && { body: cleanRequestBody(request.body, clean) }),
    },
    ...(response && {
      response: {
        ...response,
        url: clean(response.url),
        headers: all(response.headers),
        chunks: cleanChunks(response.chunks.map(fromRecordedBytes), clean).map(toRecordedBytes),
      },
    }),
    ...(failure && { failure: { ...failure, message: clean(failure.message) } }),
  }
}

function cleanRequestBody(body: NonNullable<RecordedExchange['request']['body']>, clean: Clean) {
  // What stands in the place of a secret breaks no JSON.
  if ('json' in body) return { json: JSON.parse(clean(JSON.stringify(body.json))) as unknown }
  return { bytes: cleanRecorded(body.bytes, clean) }
}

function cleanRecorded(bytes: RecordedBytes, clean: Clean): RecordedBytes {
  return toRecordedBytes(cleanBytes(Buffer.from(fromRecordedBytes(bytes)), clean))
}

export function cleanBytes(bytes: Buffer, clean: Clean): Buffer {
  const text = toRecordedBytes(bytes)
  // Latin-1 there and back leaves every byte as it is.
  const encoding = typeof text === 'string' ? 'utf8' : 'latin1'
  const before = typeof text === 'string' ? text : bytes.toString('latin1')
  const cleaned = clean(before)
  return cleaned === before ? bytes : Buffer.from(cleaned, encoding)
}

/** Cleans the whole, for a secret may be cut anywhere. The cuts stay where they are, but those inside of a secret. */
export function cleanChunks(chunks: readonly Uint8Array[], clean: Clean): Uint8Array[] {
  const whole = Buffer.concat(chunks)
  const cleaned = cleanBytes(whole, clean)
  if (cleaned === whole) return [...chunks]
  const pieces: Buffer[] = []
  let from = 0
  let cut = 0
  for (const chunk of chunks) {
    cut += chunk.byteLength
    if (cut < whole.length && cutsSecret(whole, cut, clean)) continue
    pieces.push(cleanBytes(whole.subarray(from, cut), clean))
    from = cut
  }
  return Buffer.concat(pieces).equals(cleaned) ? pieces : [cleaned]
}

function cutsSecret(whole: Buffer, cut: number, clean: Clean): boolean {
  const before = whole.subarray(Math.max(0, cut - WINDOW_BYTES), cut)
  const after = whole.subarray(cut, cut + WINDOW_BYTES)
  const apart = Buffer.concat([cleanBytes(before, clean), cleanBytes(after, clean)])
  return !apart.equals(cleanBytes(Buffer.concat([before, after]), clean))
}
