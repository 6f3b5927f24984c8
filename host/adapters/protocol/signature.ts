import * as z from 'zod'
import { type Carried, carriedParts } from '../carried-parts.ts'

/** Begins what this side wrote; the signature of another protocol has no such beginning. */
const PREFIX = 'airlock:'

const written = z.strictObject({
  provider: z.string(),
  thoughtSignature: z.string().exactOptional(),
  before: carriedParts,
})

/** A call's one opaque field. Absent where there is nothing to carry. */
export function writeSignature(carried: Carried, provider: string): string | undefined {
  if (carried.thoughtSignature === undefined && carried.before.length === 0) return undefined
  return PREFIX + JSON.stringify({ provider, ...carried })
}

/** `provider` is absent where somebody else wrote it: then it is the service's own signature, as it came. */
export function readSignature(signature: string | undefined): Carried & { provider?: string } {
  if (signature === undefined) return { before: [] }
  const read = written.safeParse(signature.startsWith(PREFIX) && parse(signature.slice(PREFIX.length)))
  return read.success ? read.data : { thoughtSignature: signature, before: [] }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // not what this side wrote
  }
}
