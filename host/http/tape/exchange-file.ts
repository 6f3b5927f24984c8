import * as z from 'zod'

/** Text where the bytes are UTF-8, else base64. */
const bytesSchema = z.union([z.string(), z.strictObject({ base64: z.string() })])
export type RecordedBytes = z.output<typeof bytesSchema>

const headers = z.array(z.tuple([z.string(), z.string()]))

export const exchangeSchema = z.strictObject({
  request: z.strictObject({
    method: z.string(),
    url: z.string(),
    headers,
    /** JSON as it is, so that a person can read it; what is not JSON as `text`. */
    body: z.union([z.strictObject({ json: z.unknown() }), z.strictObject({ bytes: bytesSchema })]).optional(),
  }),
  response: z
    .strictObject({
      status: z.int(),
      url: z.string(),
      headers,
      /** As they arrived. */
      chunks: z.array(bytesSchema),
    })
    .optional(),
  /** What ended the exchange before its end; `cancelled` where the caller did. */
  failure: z
    .strictObject({
      code: z.string(),
      message: z.string(),
      /** What was asked for, where policy refused it. */
      permission: z.string().optional(),
    })
    .optional(),
})

/** One exchange as it stands in its file. No secret is in it. */
export type RecordedExchange = z.output<typeof exchangeSchema>

/** The code of an exchange that its caller left. */
export const CANCELLED = 'cancelled'

export function toRecordedBytes(bytes: Uint8Array): RecordedBytes {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return { base64: Buffer.from(bytes).toString('base64') }
  }
}

export function fromRecordedBytes(recorded: RecordedBytes): Uint8Array {
  return typeof recorded === 'string' ? Buffer.from(recorded) : Buffer.from(recorded.base64, 'base64')
}

export function toRecordedBody(body: Uint8Array): RecordedExchange['request']['body'] {
  const bytes = toRecordedBytes(body)
  if (typeof bytes !== 'string') return { bytes }
  try {
    return { json: JSON.parse(bytes) }
  } catch {
    return { bytes }
  }
}
