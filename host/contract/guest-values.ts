import * as z from 'zod'
import type { ProviderErrorDetails } from '../errors.ts'
import type { CacheConfiguration } from './models.ts'

// What a guest's exports return, as jco lifts it: options are undefined, u64 is bigint. The component brings its own
// types, so each value is checked before anything is done with it.

/** A u64 as a number; what no number can count exactly counts as the largest that can. */
const count = z
  .union([z.bigint(), z.number()])
  .transform(value => Math.min(Math.max(0, Number(value)), Number.MAX_SAFE_INTEGER))
const name = z.string().max(1_000)

export const PROVIDER_ERROR_KINDS = [
  'authentication',
  'permission',
  'rate-limited',
  'quota-exhausted',
  'overloaded',
  'context-length-exceeded',
  'model-not-found',
  'content-filtered',
  'invalid-request',
  'unsupported',
  'network',
  'other',
] as const

const MAX_MESSAGE_UNITS = 10_000

const providerError = z.object({
  kind: z.enum(PROVIDER_ERROR_KINDS).catch('other'),
  message: z.string().transform(message => message.slice(0, MAX_MESSAGE_UNITS)),
  status: z.number().optional(),
  code: z.string().max(1_000).optional(),
  retryAfterMs: count.optional(),
})

/** Never throws: an error that does not fit is still an error. */
export function readProviderError(value: unknown): ProviderErrorDetails {
  const parsed = providerError.safeParse(value)
  if (!parsed.success)
    return { kind: 'other', message: 'the extension reported an error that does not fit the contract' }
  const { code, ...rest } = parsed.data
  return { ...definedOnly(rest), ...(code && { providerCode: code }) }
}

const providerInfo = z.object({
  id: z.string().min(1).max(200),
  name,
  icon: z.string().max(1_000).optional(),
})
export const providerInfos = z.array(providerInfo).max(1_000)
export type GuestProviderInfo = z.output<typeof providerInfo>

const modelInfo = z.object({
  id: z.string().min(1).max(1_000),
  name,
  family: name.optional(),
  maxTokenCount: count,
  maxOutputTokens: count.optional(),
  capabilities: z.object({
    supportsImages: z.boolean(),
    supportsFiles: z.boolean(),
    supportsTools: z.boolean(),
    supportsToolChoiceAuto: z.boolean(),
    supportsToolChoiceAny: z.boolean(),
    supportsToolChoiceNone: z.boolean(),
    supportsToolChoiceTool: z.boolean(),
    supportsParallelToolCalls: z.boolean(),
    supportsThinking: z.boolean(),
    supportsStructuredOutput: z.boolean(),
    supportsStreaming: z.boolean(),
    toolInputFormat: z.enum(['json-schema', 'json-schema-subset', 'simplified']),
    maxTools: z.number().optional(),
  }),
  pricing: z
    .object({
      input: z.number(),
      output: z.number(),
      cacheRead: z.number().optional(),
      cacheWrite: z.number().optional(),
    })
    .optional(),
  isDefault: z.boolean(),
  isDefaultFast: z.boolean(),
})
// The largest catalogue seen, a router's, has 600. Checking one takes 5 µs on the main thread.
export const modelInfos = z.array(modelInfo).max(4_000)
export type GuestModelInfo = z.output<typeof modelInfo>

const cacheConfiguration = z.object({
  maxCacheAnchors: count,
  shouldCacheToolDefinitions: z.boolean(),
  minTotalTokenCount: count,
})

/** Undefined for none, and for what does not fit: a prompt that is not cached costs more, and that is all. */
export function readCacheConfiguration(value: unknown): CacheConfiguration | undefined {
  return cacheConfiguration.safeParse(value).data
}

const headers = z.array(z.tuple([z.string(), z.string()])).max(1_000)

export const httpRequest = z.object({
  method: z.enum(['get', 'head', 'post', 'put', 'delete', 'options', 'patch']),
  url: z.string(),
  headers,
  body: z.instanceof(Uint8Array).optional(),
  redirectPolicy: z.discriminatedUnion('tag', [
    z.object({ tag: z.literal('no-follow') }),
    z.object({ tag: z.literal('follow-limit'), val: z.number() }),
    z.object({ tag: z.literal('follow-all') }),
  ]),
})
export type GuestHttpRequest = z.output<typeof httpRequest>

export const startedCompletion = z.object({
  request: httpRequest.optional(),
  framing: z.enum(['server-sent-events', 'lines', 'whole', 'bytes', 'none']),
})

/** The same record without the fields that are undefined: absent is absent. */
export function definedOnly<Fields extends object>(
  fields: Fields,
): { [Key in keyof Fields]: Exclude<Fields[Key], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never
}
