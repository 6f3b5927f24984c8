import { ProviderError } from '../../provider-error.ts'
import type { CompletionRequest, ToolChoice } from '../../request.ts'
import { encodeMessages } from './encode-messages.ts'
import { type ChatQuirks, resolveQuirks } from './quirks.ts'
import { wellFormed } from './well-formed.ts'

/** A chat-completions request, ready for `JSON.stringify`. */
export type ChatRequestBody = Record<string, unknown>

/** Fields that the dialect answers for: an answer to another request could not be read. */
const OWN_FIELDS = ['model', 'messages', 'stream'] as const

/**
 * A completion request as the body of `POST …/chat/completions`, always streaming.
 *
 * `providerOptions` come last, each a field of its own that replaces one of the same name; `null` takes a field
 * away. `model`, `messages` and `stream` may not be among them.
 * @throws {ProviderError} kind `unsupported` for images or files where the quirks say no, kind `invalid-request`
 * for a protected field in `providerOptions`. Both name the place.
 */
export function encodeChatRequest(
  request: CompletionRequest,
  model: string,
  quirks: Partial<ChatQuirks> = {},
): ChatRequestBody {
  const rules = resolveQuirks(quirks)
  const body: ChatRequestBody = { model, messages: encodeMessages(request, model, rules), stream: true }
  if (rules.usageInStream) body.stream_options = { include_usage: true }
  addTools(body, request, rules)
  addReasoning(body, request, rules)
  if (request.responseFormat) body.response_format = encodeResponseFormat(request.responseFormat, rules)
  if (request.maxTokens !== undefined) body[rules.maxTokensField] = request.maxTokens
  if (request.temperature !== undefined) body.temperature = request.temperature
  if (request.topP !== undefined) body.top_p = request.topP
  if (request.seed !== undefined) body.seed = request.seed
  if (request.stopSequences.length > 0) body.stop = request.stopSequences
  addProviderOptions(body, request.providerOptions)
  return wellFormed(body)
}

function addTools(body: ChatRequestBody, request: CompletionRequest, rules: ChatQuirks): void {
  const { tools, toolChoice, parallelToolCalls } = request
  // An empty list is refused by some.
  if (tools.length > 0) {
    body.tools = tools.map(({ name, description, inputSchema }) => ({
      type: 'function',
      function:
        description === ''
          ? { name, parameters: inputSchema }
          : { name, description, parameters: inputSchema },
    }))
    if (parallelToolCalls !== undefined && rules.parallelToolCalls) {
      body.parallel_tool_calls = parallelToolCalls
    }
  }
  if (toolChoice === undefined) return
  // Without tools `auto` and `none` say nothing, and services refuse the field; a forced tool must not get lost.
  const isForced = toolChoice !== 'auto' && toolChoice !== 'none'
  if (tools.length > 0 || isForced) body.tool_choice = encodeToolChoice(toolChoice, rules)
}

function encodeToolChoice(choice: ToolChoice, rules: ChatQuirks): unknown {
  if (typeof choice === 'object') return { type: 'function', function: { name: choice.tool } }
  return choice === 'any' ? rules.toolChoiceAny : choice
}

function addReasoning(body: ChatRequestBody, request: CompletionRequest, rules: ChatQuirks): void {
  if (!request.thinkingAllowed) {
    Object.assign(body, rules.thinkingOff)
    return
  }
  const effort = request.reasoningEffort && rules.effortNames[request.reasoningEffort]
  if (effort === undefined) return
  if (rules.effortField === 'reasoning_effort') body.reasoning_effort = effort
  if (rules.effortField === 'reasoning.effort') body.reasoning = { effort }
}

function encodeResponseFormat(
  format: NonNullable<CompletionRequest['responseFormat']>,
  rules: ChatQuirks,
): unknown {
  if (rules.structuredOutput === 'json_object') return { type: 'json_object' }
  // The name's letters are restricted, and it means nothing to the model.
  const name = format.name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'answer'
  const schema = { name, schema: format.schema }
  return {
    type: 'json_schema',
    json_schema: rules.strictSchemas ? { ...schema, strict: format.strict } : schema,
  }
}

function addProviderOptions(body: ChatRequestBody, options: Readonly<Record<string, unknown>>): void {
  for (const [field, value] of Object.entries(options)) {
    if ((OWN_FIELDS as readonly string[]).includes(field)) {
      throw new ProviderError({
        kind: 'invalid-request',
        message: `Cannot send providerOptions.${field}: Airlock sets this field itself. Take it out of providerOptions.`,
      })
    }
    // Defined, not assigned: `__proto__` is a name like any other.
    Object.defineProperty(body, field, { value, enumerable: true, configurable: true, writable: true })
    if (value === null || value === undefined) delete body[field]
  }
}
