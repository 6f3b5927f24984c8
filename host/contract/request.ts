import * as z from 'zod'
import { InvalidRequestError } from '../errors.ts'
import { describeIssue, formatPath } from './describe-issue.ts'

const text = z.object({ type: z.literal('text'), text: z.string() }).strict()
const image = z
  .object({
    type: z.literal('image'),
    /** Base64 (a data URI is taken apart), or an https URL. */
    source: z.string().min(1),
    /** IANA media type; absent means that the source is a URL. */
    mediaType: z.string().optional(),
    width: z.int().nonnegative().optional(),
    height: z.int().nonnegative().optional(),
  })
  .strict()
const file = z
  .object({
    type: z.literal('file'),
    source: z.string().min(1),
    mediaType: z.string(),
    name: z.string().optional(),
  })
  .strict()
const toolUse = z
  .object({
    type: z.literal('tool-use'),
    id: z.string(),
    name: z.string().min(1),
    /** JSON text of the arguments. */
    input: z.string(),
    isInputComplete: z.boolean().optional(),
    thoughtSignature: z.string().optional(),
  })
  .strict()
const toolResult = z
  .object({
    type: z.literal('tool-result'),
    toolUseId: z.string(),
    toolName: z.string().min(1),
    isError: z.boolean().optional(),
    content: z.union([z.string(), z.array(z.discriminatedUnion('type', [text, image]))]),
  })
  .strict()
const thinking = z
  .object({ type: z.literal('thinking'), text: z.string(), signature: z.string().optional() })
  .strict()
const opaque = (type: 'redacted-thinking' | 'reasoning-details' | 'provider-content') =>
  z.object({ type: z.literal(type), data: z.string() }).strict()

const part = z.discriminatedUnion('type', [
  text,
  image,
  file,
  toolUse,
  toolResult,
  thinking,
  opaque('redacted-thinking'),
  opaque('reasoning-details'),
  opaque('provider-content'),
])

const message = z
  .object({
    role: z.enum(['user', 'assistant', 'system']),
    content: z.union([z.string(), z.array(part)]),
    /** A prompt-cache anchor: everything up to and including this message may be cached. */
    cache: z.boolean().optional(),
  })
  .strict()

const jsonSchema = z.union([
  z.custom<z.ZodType>(value => value instanceof z.ZodType),
  z.record(z.string(), z.unknown()),
])

const toolDefinition = z
  .object({ name: z.string().min(1), description: z.string().optional(), inputSchema: jsonSchema.optional() })
  .strict()

const MAX_MODELS = 16
const modelName = z.string().min(1, { error: 'must not be empty' })

export const completionRequest = z
  .object({
    /**
     * `<provider>/<model id>`, or an alias from the settings. Of a list, the next one is asked where one fails.
     * Default: the user's default model.
     */
    model: z.union([modelName, z.array(modelName).min(1).max(MAX_MODELS)]).optional(),
    messages: z.array(message).min(1),
    tools: z.array(toolDefinition).optional(),
    toolChoice: z
      .union([z.enum(['auto', 'any', 'none']), z.object({ tool: z.string().min(1) }).strict()])
      .optional(),
    parallelToolCalls: z.boolean().optional(),
    stopSequences: z.array(z.string()).optional(),
    temperature: z.number().optional(),
    topP: z.number().optional(),
    seed: z.int().optional(),
    /** Default: true. */
    thinkingAllowed: z.boolean().optional(),
    reasoningEffort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'max']).optional(),
    responseFormat: z
      .object({
        /** What the service calls the schema. Default: `answer`. */
        name: z.string().min(1).default('answer'),
        schema: jsonSchema,
        /** The service guarantees the schema, where it can. Default: true. */
        strict: z.boolean().optional(),
      })
      .strict()
      .optional(),
    maxTokens: z.int().positive().optional(),
    /** `auto`: cache anchors are set where the model's service caches, unless a message has one. */
    cache: z.literal('auto').optional(),
    /** Options that only this provider understands. */
    providerOptions: z.record(z.string(), z.unknown()).optional(),
  })
  .strict()

/** zod, or JSON Schema (2020-12, or the draft that its `$schema` names). */
export type AnswerSchema = z.ZodType | Record<string, unknown>

type PlainRequest = z.input<typeof completionRequest>
type PlainFormat = NonNullable<PlainRequest['responseFormat']>

/** A completion as callers ask for it: the contract's fields in camel case. `Schema` is that of its answer. */
export type CompletionRequest<Schema extends AnswerSchema = AnswerSchema> = Omit<
  PlainRequest,
  'responseFormat'
> & {
  /** The answer is JSON by this schema: see `Completion.object()`. */
  responseFormat?: (Omit<PlainFormat, 'schema'> & { schema: Schema }) | undefined
}
export type RequestMessage = CompletionRequest['messages'][number]
export type MessagePart = Exclude<RequestMessage['content'], string>[number]
export type ToolDefinition = NonNullable<CompletionRequest['tools']>[number]

/**
 * Checks what a caller handed over.
 * @throws {InvalidRequestError} naming the first field that is wrong.
 */
export function parseRequest(value: unknown): z.output<typeof completionRequest> {
  const parsed = completionRequest.safeParse(value, { reportInput: true })
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const path = issue ? formatPath(issue.path) : ''
  // A conversation is nobody's business but the caller's: messages do not repeat what is in it.
  const options = { whole: 'the request', repeatsValues: false }
  throw new InvalidRequestError(
    path,
    `Cannot send this request: ${issue ? describeIssue(issue, completionRequest, options) : 'it is not valid'}`,
  )
}
