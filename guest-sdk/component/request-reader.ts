import type * as wit from 'airlock:llm/llm-provider@0.1.0'
import type { Received } from '../contract/wit.ts'
import type { ImageData, ToolUse } from '../events.ts'
import type { CompletionRequest, MessagePart, ToolResult } from '../request.ts'

/** The host's request in the shape that authors know: absent fields are absent, JSON texts are parsed. */
export function readRequest(request: Received<wit.CompletionRequest>): CompletionRequest {
  const { toolChoice, responseFormat } = request
  return {
    messages: request.messages.map(({ role, content, cache }) => ({
      role,
      content: content.map(readPart),
      cache,
    })),
    tools: request.tools.map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema: parseObject(inputSchema, `input schema of tool ${name}`),
    })),
    ...(toolChoice !== null && {
      toolChoice: toolChoice.tag === 'tool' ? { tool: toolChoice.val } : toolChoice.tag,
    }),
    ...(request.parallelToolCalls !== null && { parallelToolCalls: request.parallelToolCalls }),
    stopSequences: request.stopSequences,
    ...(request.temperature !== null && { temperature: shortFloat(request.temperature) }),
    ...(request.topP !== null && { topP: shortFloat(request.topP) }),
    ...(request.seed !== null && { seed: request.seed }),
    thinkingAllowed: request.thinkingAllowed,
    ...(request.reasoningEffort !== null && { reasoningEffort: request.reasoningEffort }),
    ...(responseFormat !== null && {
      responseFormat: {
        name: responseFormat.name,
        schema: parseObject(responseFormat.schema, 'response format'),
        strict: responseFormat.strict,
      },
    }),
    ...(request.maxTokens !== null && { maxTokens: request.maxTokens }),
    providerOptions:
      request.providerOptions === null ? {} : parseObject(request.providerOptions, 'provider options'),
  }
}

function readPart(part: Received<wit.MessageContent>): MessagePart {
  switch (part.tag) {
    case 'text':
      return { type: 'text', text: part.val }
    case 'image':
      return readImage(part.val)
    case 'file': {
      const { source, mediaType, name } = part.val
      return { type: 'file', source, mediaType, ...(name !== null && { name }) }
    }
    case 'tool-use':
      return readToolUse(part.val)
    case 'tool-result':
      return readToolResult(part.val)
    case 'thinking': {
      const { text, signature } = part.val
      return { type: 'thinking', text, ...(signature !== null && { signature }) }
    }
    case 'redacted-thinking':
    case 'reasoning-details':
    case 'provider-content':
      return { type: part.tag, data: part.val }
    default:
      return part satisfies never
  }
}

function readImage(image: Received<wit.ImageData>): { type: 'image' } & ImageData {
  const { source, mediaType, width, height } = image
  return {
    type: 'image',
    source,
    ...(mediaType !== null && { mediaType }),
    ...(width !== null && { width }),
    ...(height !== null && { height }),
  }
}

function readToolUse(toolUse: Received<wit.ToolUse>): { type: 'tool-use' } & ToolUse {
  const { id, name, input, isInputComplete, thoughtSignature } = toolUse
  return {
    type: 'tool-use',
    id,
    name,
    input,
    isInputComplete,
    ...(thoughtSignature !== null && { thoughtSignature }),
  }
}

function readToolResult(result: Received<wit.ToolResult>): { type: 'tool-result' } & ToolResult {
  const { toolUseId, toolName, isError, content } = result
  return {
    type: 'tool-result',
    toolUseId,
    toolName,
    isError,
    content: content.map(part =>
      part.tag === 'text' ? { type: 'text', text: part.val } : readImage(part.val),
    ),
  }
}

function parseObject(json: string, what: string): Record<string, unknown> {
  const value: unknown = JSON.parse(json)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new TypeError(`Cannot read the ${what}: it is not a JSON object`)
  }
  return value as Record<string, unknown>
}

/** The contract carries 0.7 as a 32-bit float, 0.699999988079071; services see what the caller wrote. */
function shortFloat(value: number): number {
  return Number(value.toPrecision(7))
}
