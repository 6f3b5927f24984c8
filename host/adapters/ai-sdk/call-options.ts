import type { CompletionRequest, ToolDefinition } from '../../contract/request.ts'
import type { Keepsakes } from './keepsakes.ts'
import { toMessages } from './prompt.ts'
import type {
  CallOptions,
  CallTool,
  CallToolChoice,
  ReasoningChoice,
  ResponseFormat,
} from './specification.ts'
import type { Concern } from './warnings.ts'

export interface RequestTarget {
  /** What a request's `model` takes. */
  modelId: string
  /** Whose `providerOptions` are Airlock's. */
  name: string
  keepsakes: Keepsakes
}

/**
 * A call of the SDK as a request of Airlock, and what of it will not happen as asked.
 * @throws `AI_UnsupportedFunctionalityError` for what must not be left out.
 */
export function toRequest(
  options: CallOptions,
  { modelId, name, keepsakes }: RequestTarget,
): { request: CompletionRequest; concerns: Concern[] } {
  const concerns: Concern[] = []
  const warn = (concern: Concern) => concerns.push(concern)
  const tools = toTools(options.tools ?? [], warn)
  warnOfUnsupported(options, name, warn)
  const request: CompletionRequest = {
    model: modelId,
    messages: toMessages(options.prompt, { name, keepsakes, warn }),
    ...(tools.length > 0 && { tools, ...toToolChoice(options.toolChoice) }),
    ...defined('maxTokens', options.maxOutputTokens),
    ...defined('temperature', options.temperature),
    ...defined('topP', options.topP),
    ...defined('seed', options.seed),
    ...(options.stopSequences && { stopSequences: [...options.stopSequences] }),
    ...toReasoning(options.reasoning, warn),
    ...toResponseFormat(options.responseFormat),
    ...toOwnOptions(options.providerOptions?.[name]),
  }
  return { request, concerns }
}

function toTools(tools: readonly CallTool[], warn: (concern: Concern) => void): ToolDefinition[] {
  return tools.flatMap(tool => {
    if (tool.type !== 'function') {
      const details = 'Left out: only the service that it is named after runs it.'
      warn({ about: 'tool', tool, details })
      return []
    }
    const { name, description, inputSchema, strict, inputExamples } = tool
    if (strict) {
      const details = 'Airlock does not hold the arguments of a call to their schema while they are written.'
      warn({ about: 'setting', name: `strict (tool "${name}")`, details })
    }
    if (inputExamples && inputExamples.length > 0) {
      const details = 'Left out. Put the examples into the description.'
      warn({ about: 'setting', name: `inputExamples (tool "${name}")`, details })
    }
    return [{ name, ...defined('description', description), inputSchema: { ...inputSchema } }]
  })
}

function toToolChoice(choice: CallToolChoice | undefined): Pick<CompletionRequest, 'toolChoice'> {
  switch (choice?.type) {
    case undefined:
      return {}
    case 'auto':
    case 'none':
      return { toolChoice: choice.type }
    case 'required':
      return { toolChoice: 'any' }
    case 'tool':
      return { toolChoice: { tool: choice.toolName } }
    default:
      return choice satisfies never
  }
}

function toReasoning(
  reasoning: ReasoningChoice | undefined,
  warn: (concern: Concern) => void,
): Pick<CompletionRequest, 'reasoningEffort' | 'thinkingAllowed'> {
  if (reasoning === undefined || reasoning === 'provider-default') return {}
  if (reasoning === 'none') return { thinkingAllowed: false, reasoningEffort: 'none' }
  if (reasoning !== 'xhigh') return { reasoningEffort: reasoning }
  warn({ about: 'nearest', name: 'reasoning', details: 'Sent as "max": Airlock has no "xhigh".' })
  return { reasoningEffort: 'max' }
}

function toResponseFormat(format: ResponseFormat | undefined): Pick<CompletionRequest, 'responseFormat'> {
  if (format?.type !== 'json') return {}
  const { schema, name = 'response', description } = format
  // JSON of any shape: an object is what every way of asking for JSON can give.
  if (!schema) return { responseFormat: { name, schema: { type: 'object' }, strict: false } }
  return {
    responseFormat: { name, schema: { ...(description !== undefined && { description }), ...schema } },
  }
}

/** Fields of Airlock's request that the SDK has no name for; the others are the service's own. */
function toOwnOptions(options: Readonly<Record<string, unknown>> | undefined): Partial<CompletionRequest> {
  if (!options) return {}
  const { parallelToolCalls, thinkingAllowed, reasoningEffort, ...providerOptions } = options
  // Checked with the rest of the request, which names the field.
  const own = { parallelToolCalls, thinkingAllowed, reasoningEffort } as Partial<CompletionRequest>
  const named = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined))
  return { ...named, ...(Object.keys(providerOptions).length > 0 && { providerOptions }) }
}

function warnOfUnsupported(options: CallOptions, name: string, warn: (concern: Concern) => void) {
  for (const setting of ['topK', 'presencePenalty', 'frequencyPenalty'] as const) {
    if (options[setting] === undefined) continue
    const details = `Left out. Where the service has it, send its own field in providerOptions.${name}.`
    warn({ about: 'setting', name: setting, details })
  }
  // The SDK adds its own user agent to every call.
  const headers = Object.keys(options.headers ?? {}).filter(header => header.toLowerCase() !== 'user-agent')
  if (headers.length > 0) {
    const details = `Left out: ${headers.join(', ')}. A request's headers are the extension's.`
    warn({ about: 'setting', name: 'headers', details })
  }
}

function defined<Key extends string, Value>(key: Key, value: Value | undefined): { [K in Key]?: Value } {
  return value === undefined ? {} : ({ [key]: value } as { [K in Key]: Value })
}
