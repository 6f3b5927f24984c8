import type { Log } from '../../context.ts'
import { ProviderError } from '../../provider-error.ts'
import type { CompletionRequest, ToolChoice } from '../../request.ts'
import { NOT_STRICT, toStrictSchema } from '../strict-schema.ts'
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
 * @param log Told of what is sent in another way than it was asked for. Default: nobody.
 * @throws {ProviderError} kind `unsupported` for what the quirks say the service does not take, kind
 * `invalid-request` for a protected field in `providerOptions`. Both name the place.
 */
export function encodeChatRequest(
  request: CompletionRequest,
  model: string,
  quirks: Partial<ChatQuirks> = {},
  log?: Pick<Log, 'warn'>,
): ChatRequestBody {
  const rules = resolveQuirks(quirks)
  const warn: Warn = message => log?.warn(message)
  refuseUnsupported(request, model, rules)
  const body: ChatRequestBody = { model, messages: encodeMessages(request, model, rules), stream: true }
  Object.assign(body, rules.extraFields)
  if (rules.usageInStream) body.stream_options = { include_usage: true }
  addTools(body, request, rules, warn)
  const thinks = addReasoning(body, request, rules, warn)
  if (request.responseFormat) {
    body.response_format = encodeResponseFormat(request.responseFormat, rules, warn)
    if (rules.structuredOutput === 'json_object') {
      warn('The service holds an answer to JSON and to no schema: the schema is put to the model in words')
    }
  }
  if (request.maxTokens !== undefined) body[rules.maxTokensField] = request.maxTokens
  addSampling(body, request, rules)
  const isSampled = request.temperature !== undefined || request.topP !== undefined
  if (isSampled && thinks && !rules.samplingWhileThinking) {
    warn('temperature and topP have no effect while the model thinks')
  }
  addProviderOptions(body, request.providerOptions)
  return wellFormed(body)
}

type Warn = (message: string) => void

function refuseUnsupported(request: CompletionRequest, model: string, rules: ChatQuirks): void {
  const { tools, toolChoice, stopSequences, seed, temperature, topP } = request
  const given: Record<keyof ChatQuirks['refused'], boolean> = {
    seed: seed !== undefined,
    stopSequences: stopSequences.length > 0,
    tools: tools.length > 0,
    temperature: temperature !== undefined,
    topP: topP !== undefined,
  }
  for (const [field, why] of Object.entries(rules.refused)) {
    if (given[field as keyof typeof given]) throw unsupported(field, why)
  }
  if (isForced(toolChoice) && rules.forcedTools === 'never') {
    throw unsupported('toolChoice', `the model "${model}" cannot be made to use a tool`, 'Use "auto"')
  }
  if (toolChoice === 'any' && rules.toolChoiceAny === 'refused') {
    throw unsupported('toolChoice', 'the service can only be made to use one tool, by its name', 'Name one')
  }
}

function unsupported(field: string, why: string, instead = 'Leave it out'): ProviderError {
  return new ProviderError({
    kind: 'unsupported',
    message: `Cannot send ${field}: ${why}. ${instead}, or choose another model.`,
  })
}

function isForced(choice: ToolChoice | undefined): boolean {
  return choice === 'any' || typeof choice === 'object'
}

function addSampling(body: ChatRequestBody, request: CompletionRequest, rules: ChatQuirks): void {
  if (request.temperature !== undefined) body.temperature = request.temperature
  if (request.topP !== undefined) body.top_p = request.topP
  if (request.seed !== undefined) body[rules.seedField] = request.seed
  if (request.stopSequences.length > 0) body.stop = request.stopSequences
}

function addTools(body: ChatRequestBody, request: CompletionRequest, rules: ChatQuirks, warn: Warn): void {
  const { tools, toolChoice, parallelToolCalls } = request
  if (toolChoice === 'none' && !rules.toolChoiceNone) {
    if (tools.length > 0)
      warn('The service cannot keep a model from its tools: they are left out of this request')
    return
  }
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
    } else if (parallelToolCalls === false) {
      warn('The service cannot be held to one call at a time: the model is told so in words')
    }
  }
  if (toolChoice === undefined) return
  // Without tools `auto` and `none` say nothing, and services refuse the field; a forced tool must not get lost.
  if (tools.length > 0 || isForced(toolChoice)) body.tool_choice = encodeToolChoice(toolChoice, rules)
}

function encodeToolChoice(choice: ToolChoice, rules: ChatQuirks): unknown {
  if (typeof choice === 'object') return { type: 'function', function: { name: choice.tool } }
  return choice === 'any' ? rules.toolChoiceAny : choice
}

/** @returns Whether the model may think. */
function addReasoning(
  body: ChatRequestBody,
  request: CompletionRequest,
  rules: ChatQuirks,
  warn: Warn,
): boolean {
  const { reasoningEffort: effort } = request
  const isFree = rules.forcedTools !== 'unless-thinking' || !isForced(request.toolChoice)
  if (request.thinkingAllowed && !isFree) {
    warn('The model cannot be made to use a tool while it thinks: thinking is turned off for this request')
  }
  // Where there is no word for "none", thinking is turned off in the other way.
  const isNone = effort === 'none' && rules.effortNames.none === undefined
  if (!request.thinkingAllowed || !isFree || isNone) return turnOff(body, rules, warn)
  if (effort === undefined) return true
  const name = rules.effortNames[effort]
  if (name === undefined || rules.effortField === 'none') {
    warn(`reasoningEffort "${effort}" is left out: the model takes none`)
    if (effort !== 'none') Object.assign(body, rules.thinkingOn)
    return true
  }
  if (name !== effort)
    warn(`reasoningEffort "${effort}" is sent as "${name}", the nearest that the model has`)
  Object.assign(body, rules.thinkingOn)
  if (rules.effortField === 'reasoning_effort') body.reasoning_effort = name
  else body.reasoning = { effort: name }
  return effort !== 'none'
}

function turnOff(body: ChatRequestBody, rules: ChatQuirks, warn: Warn): boolean {
  if (rules.thinkingOff === 'never') {
    warn('The model always thinks: this cannot be turned off')
    return true
  }
  Object.assign(body, rules.thinkingOff)
  return false
}

function encodeResponseFormat(
  format: NonNullable<CompletionRequest['responseFormat']>,
  rules: ChatQuirks,
  warn: Warn,
): unknown {
  if (rules.structuredOutput === 'json_object') return { type: 'json_object' }
  // The name's letters are restricted, and it means nothing to the model.
  const name = format.name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'answer'
  const held = rules.strictSchemas && format.strict ? toStrictSchema(format.schema) : undefined
  if (rules.strictSchemas && format.strict && !held) warn(NOT_STRICT)
  const schema = { name, schema: held ?? format.schema }
  return {
    type: 'json_schema',
    json_schema: rules.strictSchemas ? { ...schema, strict: held !== undefined } : schema,
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
