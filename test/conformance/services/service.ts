import type * as z from 'zod'
import type { StopReason } from '../../../host/contract/events.ts'

/** A piece of an answer, in nobody's wire format. */
export type Piece =
  | { text: string }
  | { thinking: string; signature?: string }
  /** Thinking that only the service can read. */
  | { redacted: string }
  /** `input` is JSON text, sent byte for byte. */
  | { call: { id: string; name: string; input: string; signature?: string } }

export interface ScriptedUsage {
  input: number
  output: number
  cacheRead?: number
  reasoning?: number
}

/** What a service is to answer; each service's file writes it in its own wire format. */
export interface ScriptedAnswer {
  pieces: readonly Piece[]
  stop: StopReason
  /** Default: some. */
  usage?: ScriptedUsage
}

export type Frame = string | Uint8Array

export interface Image {
  /** Absent where the wire has none. */
  mediaType?: string
  data: string
}

/** A request as the service understands it, whatever its wire format. */
export interface Received {
  /** Instructions of all kinds, joined. */
  system: string
  /** All that the user says, joined. */
  text: string
  images: Image[]
  files: Image[]
  tools: string[]
  choice?: 'auto' | 'any' | 'none' | { tool: string }
  /** Calls of the model's own turns, in order. */
  calls: { id: string; name: string; input: string }[]
  results: { id: string; text: string }[]
  maxTokens?: number
  stops: string[]
  /** The schema that the answer is held to; absent where there is no field for it. */
  schema?: unknown
  /** What asks the model to think. */
  thinking?: unknown
  anchors: number
  /** Thinking of earlier turns that goes back: signatures, encrypted or redacted blocks, details. */
  opaque: string[]
}

/** Where the usage that a service reports stands apart from what it was told to report. */
export type UsageField = 'cacheRead' | 'reasoning'

/** A service, scripted: what it takes, and how it writes what it answers. */
export interface Dialect {
  contentType: string
  /** An answer as frames of the wire, each whole. */
  stream(answer: ScriptedAnswer): Frame[]
  /** How many of those frames it takes to know how the answer ended. */
  needed(frames: readonly Frame[]): number
  /** An error in the place of a frame. */
  errorFrame(message: string): Frame
  /** What that error is to the caller. */
  errorKind: string
  /** An answer that is an error, as the service words it. */
  errorBody(status: number, message: string): { headers?: Record<string, string>; body: string }
  /** What its API reference says that a request is. */
  schema: z.ZodType
  read(body: unknown): Received
  /** Stop reasons that its wire has a word for; others come as `end-turn`, or not at all. */
  stops: readonly StopReason[]
  /** Else a call comes whole. */
  writesCallsInPieces: boolean
  /** What it reports of usage besides input and output. */
  usage: readonly UsageField[]
}

export const SOME_USAGE: ScriptedUsage = { input: 11, output: 7 }

export function sse(data: unknown, event?: string): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data)
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`
}

/** Two halves, neither between the halves of a surrogate pair. */
export function halves(text: string): string[] {
  const middle = Math.floor(text.length / 2)
  const at = /[\udc00-\udfff]/.test(text.charAt(middle)) ? middle + 1 : middle
  return [text.slice(0, at), text.slice(at)].filter(half => half !== '')
}

/** A request that its schema has checked, walked through; or what is going to be JSON. */
// biome-ignore lint/suspicious/noExplicitAny: the schema beside it says what stands where.
export type Json = Record<string, any>

/** JSON text with `raw` where the value has `RAW`: numbers in it may be larger than this side can hold. */
export const RAW = '@raw'
export function withRaw(value: unknown, raw: string): string {
  return JSON.stringify(value).replace(JSON.stringify(RAW), () => raw)
}

export function emptyReceived(): Received {
  return {
    system: '',
    text: '',
    images: [],
    files: [],
    tools: [],
    calls: [],
    results: [],
    stops: [],
    anchors: 0,
    opaque: [],
  }
}

/** How often a field stands anywhere in a value. */
export function countField(value: unknown, field: string): number {
  if (typeof value !== 'object' || value === null) return 0
  return Object.entries(value).reduce(
    (sum, [name, inner]) => sum + (name === field ? 1 : 0) + countField(inner, field),
    0,
  )
}
