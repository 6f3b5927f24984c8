import * as z from 'zod'
import { InvalidRequestError } from '../errors.ts'
import type {
  ImageData as GuestImage,
  MessageContent,
  ToolChoice,
} from './generated/interfaces/airlock-llm-llm-provider.js'
import type { CompletionRequest as GuestRequest } from './generated/interfaces/airlock-llm-provider.js'
import type { parseRequest } from './request.ts'
import { convertSchema, type SchemaLoss, type ToolInputFormat } from './tool-schema/index.ts'

type ParsedRequest = ReturnType<typeof parseRequest>
type Message = ParsedRequest['messages'][number]
type Part = Exclude<Message['content'], string>[number]
type ImagePart = Part & { type: 'image' }
type JsonSchema = NonNullable<NonNullable<ParsedRequest['tools']>[number]['inputSchema']>

export interface ToGuestOptions {
  /** The model's own format; schemas of tools and of the answer are converted to it. Default: `json-schema`. */
  toolInputFormat?: ToolInputFormat
  /** Told of everything that a schema can no longer say in that format. `schema` is its place in the request. */
  onSchemaLoss?: (schema: string, loss: SchemaLoss) => void
}

/**
 * The contract's `completion-request` of a checked request.
 * @throws {InvalidRequestError} where a schema cannot be written as JSON Schema, or not in the model's format.
 */
export function toGuestRequest(request: ParsedRequest, options: ToGuestOptions = {}): GuestRequest {
  return {
    messages: request.messages.map(message => ({
      role: message.role,
      content:
        typeof message.content === 'string'
          ? [{ tag: 'text' as const, val: message.content }]
          : message.content.map(toGuestContent),
      cache: message.cache ?? false,
    })),
    tools: (request.tools ?? []).map((tool, index) => ({
      name: tool.name,
      description: tool.description ?? '',
      inputSchema: schemaText(tool.inputSchema, `tools[${index}].inputSchema`, 'object', options),
    })),
    ...(request.toolChoice !== undefined && { toolChoice: toGuestChoice(request.toolChoice) }),
    ...(request.parallelToolCalls !== undefined && { parallelToolCalls: request.parallelToolCalls }),
    stopSequences: request.stopSequences ?? [],
    ...(request.temperature !== undefined && { temperature: request.temperature }),
    ...(request.topP !== undefined && { topP: request.topP }),
    ...(request.seed !== undefined && { seed: BigInt(request.seed) }),
    thinkingAllowed: request.thinkingAllowed ?? true,
    ...(request.reasoningEffort !== undefined && { reasoningEffort: request.reasoningEffort }),
    ...(request.responseFormat !== undefined && {
      responseFormat: {
        name: request.responseFormat.name,
        schema: schemaText(request.responseFormat.schema, 'responseFormat.schema', 'any', options),
        strict: request.responseFormat.strict ?? true,
      },
    }),
    ...(request.maxTokens !== undefined && { maxTokens: BigInt(request.maxTokens) }),
    ...(request.providerOptions !== undefined && {
      providerOptions: JSON.stringify(request.providerOptions),
    }),
  }
}

function toGuestContent(part: Part): MessageContent {
  switch (part.type) {
    case 'text':
      return { tag: 'text', val: part.text }
    case 'image':
      return { tag: 'image', val: toGuestImage(part) }
    case 'file': {
      const { data, mediaType } = takeDataUri(part.source, part.mediaType)
      return {
        tag: 'file',
        val: { source: data, mediaType: mediaType ?? part.mediaType, ...(part.name && { name: part.name }) },
      }
    }
    case 'tool-use': {
      const { id, name, input, isInputComplete = true, thoughtSignature } = part
      return {
        tag: 'tool-use',
        val: {
          id,
          name,
          input,
          isInputComplete,
          ...(thoughtSignature !== undefined && { thoughtSignature }),
        },
      }
    }
    case 'tool-result': {
      const { toolUseId, toolName, isError = false, content } = part
      return {
        tag: 'tool-result',
        val: {
          toolUseId,
          toolName,
          isError,
          content:
            typeof content === 'string'
              ? [{ tag: 'text', val: content }]
              : content.map(inner =>
                  inner.type === 'text'
                    ? { tag: 'text' as const, val: inner.text }
                    : { tag: 'image' as const, val: toGuestImage(inner) },
                ),
        },
      }
    }
    case 'thinking':
      return {
        tag: 'thinking',
        val: { text: part.text, ...(part.signature !== undefined && { signature: part.signature }) },
      }
    case 'redacted-thinking':
    case 'reasoning-details':
    case 'provider-content':
      return { tag: part.type, val: part.data }
    default:
      return part satisfies never
  }
}

function toGuestImage(part: ImagePart): GuestImage {
  const { data, mediaType } = takeDataUri(part.source, part.mediaType)
  return {
    source: data,
    ...(mediaType !== undefined && { mediaType }),
    ...(part.width !== undefined && { width: part.width }),
    ...(part.height !== undefined && { height: part.height }),
  }
}

/** RFC 2397, base64 only: the contract takes the data and its media type apart. */
function takeDataUri(
  source: string,
  mediaType: string | undefined,
): { data: string; mediaType: string | undefined } {
  const match = /^data:([^;,]*)(?:;[^;,]*)*;base64,/i.exec(source)
  if (!match) return { data: source, mediaType }
  return { data: source.slice(match[0].length).replace(/\s+/g, ''), mediaType: match[1] || mediaType }
}

function toGuestChoice(choice: NonNullable<ParsedRequest['toolChoice']>): ToolChoice {
  return typeof choice === 'string' ? { tag: choice } : { tag: 'tool', val: choice.tool }
}

function schemaText(
  schema: JsonSchema | undefined,
  path: string,
  root: 'object' | 'any',
  { toolInputFormat = 'json-schema', onSchemaLoss }: ToGuestOptions,
): string {
  if (schema === undefined) return '{"type":"object","properties":{}}'
  try {
    const written = schema instanceof z.ZodType ? z.toJSONSchema(schema, { io: 'input' }) : schema
    const converted = convertSchema(written, toolInputFormat, { root })
    for (const loss of converted.losses) onSchemaLoss?.(path, loss)
    return JSON.stringify(converted.schema)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    const form =
      toolInputFormat === 'json-schema' ? 'as JSON Schema' : `in the model's format (${toolInputFormat})`
    throw new InvalidRequestError(path, `Cannot write ${path} ${form}: ${why}`, { cause: error })
  }
}
