import { ProviderError } from '../../provider-error.ts'
import type { CompletionRequest, ResponseFormat, ToolDefinition } from '../../request.ts'
import { addProviderOptions } from '../provider-options.ts'
import { writeJson } from '../raw-json.ts'
import { NOT_STRICT, toStrictSchema } from '../strict-schema.ts'
import { createToolNames, type ToolNames } from '../tool-names.ts'
import { encodeInput } from './encode-input.ts'
import { encodeReasoning, type ReasoningFields } from './reasoning.ts'
import { type ResponsesOptions, type ResponsesRules, resolveRules } from './rules.ts'

type Fields = Record<string, unknown>

const PROVIDER_OPTIONS = {
  own: ['model', 'input', 'stream'],
  added: ['tools', 'include'],
  merged: ['reasoning', 'text'],
}
/** What `POST …/responses/input_tokens` takes of a request. */
const COUNTED_FIELDS = [
  ...['model', 'input', 'instructions', 'tools', 'tool_choice', 'parallel_tool_calls', 'reasoning', 'text'],
]

/**
 * A completion request as the JSON body of `POST …/responses`, streaming. The service is asked to keep nothing
 * (`store: false`): the whole conversation goes along, with the model's reasoning, encrypted.
 *
 * `providerOptions` come last, each a field of its own that replaces one of the same name; `null` takes a field away.
 * `tools` and `include` are added to the request's own, `reasoning` and `text` are merged, and `model`, `input` and
 * `stream` may not be among them.
 * @throws {ProviderError} kind `unsupported` for what neither the service nor the model has, kind `invalid-request`
 * for a protected field in `providerOptions`. The message names the field.
 */
export function encodeResponsesRequest(
  request: CompletionRequest,
  model: string,
  options: ResponsesOptions,
): string {
  return writeJson({ ...encodeFields(request, model, options), stream: true })
}

/** The same request as the JSON body of `POST …/responses/input_tokens`. */
export function encodeResponsesCountRequest(
  request: CompletionRequest,
  model: string,
  options: ResponsesOptions,
): string {
  const fields = encodeFields(request, model, options)
  return writeJson(Object.fromEntries(COUNTED_FIELDS.map(field => [field, fields[field]])))
}

/** The request's names for its tools, and the API's: letters, digits, `_` and `-`. */
export function responsesToolNames({ tools }: Pick<CompletionRequest, 'tools'>): ToolNames {
  return createToolNames(
    tools.map(tool => tool.name),
    { allowed: /[a-zA-Z0-9_-]/, maxLength: 64 },
  )
}

function encodeFields(request: CompletionRequest, model: string, options: ResponsesOptions): Fields {
  const { service, log } = options
  const rules = resolveRules(options.rules)
  const warn = (message: string) => log?.warn(message)
  const names = responsesToolNames(request)
  const thinking = encodeReasoning(request, rules, warn)
  refuseUnsupported(request, model, rules, thinking)
  const { instructions, input } = encodeInput(request.messages, { rules, names, warn, service, model })
  const fields: Fields = {
    model,
    ...(instructions !== undefined && { instructions }),
    input: input.map(({ opaque, ...item }) => opaque ?? item),
    ...(request.tools.length > 0 && { tools: request.tools.map(tool => encodeTool(tool, names)) }),
    ...encodeToolChoice(request, names),
    ...(thinking.reasoning && { reasoning: thinking.reasoning }),
    ...(request.responseFormat && { text: { format: encodeFormat(request.responseFormat, warn) } }),
    ...encodeLimits(request, rules, thinking, warn),
    store: false,
    ...(thinking.encrypted && { include: ['reasoning.encrypted_content'] }),
  }
  addProviderOptions(fields, request.providerOptions, PROVIDER_OPTIONS)
  return fields
}

function refuseUnsupported(
  { seed, stopSequences, temperature, topP }: CompletionRequest,
  model: string,
  rules: ResponsesRules,
  { thinks }: ReasoningFields,
): void {
  if (seed !== undefined) throw unsupported('seed', 'the Responses API has no such setting')
  if (stopSequences.length > 0) throw unsupported('stopSequences', 'the Responses API has no such setting')
  if (takesSampling(rules, thinks)) return
  const isNever = rules.sampling === 'never'
  const why = isNever
    ? `the model "${model}" takes no sampling settings`
    : 'the model takes it only while it does not think'
  const instead = isNever ? undefined : 'Set reasoningEffort to "none", leave it out'
  // 1 is what the service does by itself.
  if (temperature !== undefined && temperature !== 1) throw unsupported('temperature', why, instead)
  if (topP !== undefined && topP !== 1) throw unsupported('topP', why, instead)
}

function takesSampling({ sampling }: ResponsesRules, thinks: boolean | undefined): boolean {
  return sampling === 'always' || (sampling === 'without-thinking' && thinks === false)
}

function unsupported(field: string, why: string, instead = 'Leave it out'): ProviderError {
  return new ProviderError({
    kind: 'unsupported',
    message: `Cannot send ${field}: ${why}. ${instead}, or choose another model.`,
  })
}

function encodeTool({ name, description, inputSchema }: ToolDefinition, names: ToolNames): Fields {
  return {
    type: 'function',
    name: names.toWire(name),
    ...(description !== '' && { description }),
    // An object must say that it is one, and name its properties even where it has none.
    parameters: {
      ...(inputSchema.type === undefined && { type: 'object' }),
      ...((inputSchema.type ?? 'object') === 'object' && { properties: {} }),
      ...inputSchema,
    },
    // Left out it would mean true, and the service would change the schema.
    strict: false,
  }
}

function encodeToolChoice(
  { tools, toolChoice, parallelToolCalls }: CompletionRequest,
  names: ToolNames,
): Fields {
  const parallel = tools.length > 0 && parallelToolCalls !== undefined
  const fields: Fields = parallel ? { parallel_tool_calls: parallelToolCalls } : {}
  if (typeof toolChoice === 'object') {
    return { ...fields, tool_choice: { type: 'function', name: names.toWire(toolChoice.tool) } }
  }
  if (toolChoice === 'any') return { ...fields, tool_choice: 'required' }
  // Without tools `auto` and `none` say nothing.
  return toolChoice === undefined || tools.length === 0 ? fields : { ...fields, tool_choice: toolChoice }
}

function encodeFormat({ name, schema, strict }: ResponseFormat, warn: (message: string) => void): Fields {
  const held = strict ? toStrictSchema(schema) : undefined
  if (strict && !held) warn(NOT_STRICT)
  return {
    type: 'json_schema',
    // The name's letters are restricted, and it means nothing to the model.
    name: name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'answer',
    schema: held ?? schema,
    strict: held !== undefined,
  }
}

function encodeLimits(
  { maxTokens, temperature, topP }: CompletionRequest,
  rules: ResponsesRules,
  { thinks }: ReasoningFields,
  warn: (message: string) => void,
): Fields {
  const least = rules.leastOutputTokens
  if (maxTokens !== undefined && maxTokens < least) {
    warn(`maxTokens ${maxTokens} is less than the service takes: ${least} is sent instead`)
  }
  const samples = takesSampling(rules, thinks)
  return {
    ...(maxTokens !== undefined && { max_output_tokens: Math.max(maxTokens, least) }),
    ...(samples && temperature !== undefined && { temperature }),
    ...(samples && topP !== undefined && { top_p: topP }),
  }
}
