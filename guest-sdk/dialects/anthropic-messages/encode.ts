import { isRecord } from '../../is-record.ts'
import { ProviderError } from '../../provider-error.ts'
import type { CompletionRequest, ToolChoice } from '../../request.ts'
import { writeJson } from '../raw-json.ts'
import { createToolNames, type ToolNames } from '../tool-names.ts'
import { encodeTurns } from './encode-turns.ts'
import { fitsStructured } from './fits-structured.ts'
import { type MessagesOptions, type MessagesRules, resolveRules } from './rules.ts'
import { toStructuredSchema } from './structured-schema.ts'
import { encodeThinking } from './thinking.ts'

/** How many anchors one request may hold, those on tools included. */
const MAX_CACHE_ANCHORS = 4

/** Fields that the dialect answers for: an answer to another request could not be read. */
const OWN_FIELDS = ['model', 'messages', 'stream']
/** What `POST …/messages/count_tokens` takes of a request. */
const COUNTED_FIELDS = [
  ...['model', 'messages', 'system', 'tools', 'tool_choice', 'thinking', 'output_config', 'cache_control'],
]

type Fields = Record<string, unknown>

/**
 * A completion request as the JSON body of `POST …/messages`, streaming.
 *
 * `providerOptions` come last, each a field of its own that replaces one of the same name; `null` takes a field away.
 * `tools` are added to the request's own, `output_config` is merged, `betas` is for the header (see `readBetas`), and
 * `model`, `messages` and `stream` may not be among them.
 * @throws {ProviderError} kind `unsupported` for what neither the service nor the model has, kind `invalid-request`
 * for a protected field in `providerOptions`. The message names the field.
 */
export function encodeMessagesRequest(
  request: CompletionRequest,
  model: string,
  options: MessagesOptions = {},
): string {
  return writeJson({ ...encodeFields(request, model, options), stream: true })
}

/** The same request as the JSON body of `POST …/messages/count_tokens`. */
export function encodeCountRequest(
  request: CompletionRequest,
  model: string,
  options: MessagesOptions = {},
): string {
  const fields = encodeFields(request, model, options)
  return writeJson(Object.fromEntries(COUNTED_FIELDS.map(field => [field, fields[field]])))
}

/** The request's names for its tools, and the API's: letters, digits, `_` and `-`. */
export function messagesToolNames({ tools }: Pick<CompletionRequest, 'tools'>): ToolNames {
  return createToolNames(
    tools.map(tool => tool.name),
    { allowed: /[a-zA-Z0-9_-]/, maxLength: 128 },
  )
}

/** The value of the `anthropic-beta` header: what `providerOptions.betas` lists. */
export function readBetas({ providerOptions: { betas } }: CompletionRequest): string | undefined {
  const list = Array.isArray(betas) ? betas : [betas]
  return list.filter(beta => typeof beta === 'string' && beta !== '').join(',') || undefined
}

function encodeFields(request: CompletionRequest, model: string, options: MessagesOptions): Fields {
  const rules = resolveRules(options.rules)
  const warn = (message: string) => options.log?.warn(message)
  refuseUnsupported(request, model, rules)
  const names = messagesToolNames(request)
  const { system, messages, anchors, continuesWithoutThinking } = encodeTurns(
    request.messages,
    rules,
    names,
    warn,
  )
  const maxTokens = request.maxTokens ?? rules.maxOutputTokens
  const tools = request.tools.map(tool => ({
    name: names.toWire(tool.name),
    ...(tool.description !== '' && { description: tool.description }),
    input_schema: tool.inputSchema,
  }))
  markAnchors(anchors, tools)
  const isHeld = rules.structuredOutput && fitsStructured(request.responseFormat?.schema)
  if (request.responseFormat && !isHeld) {
    const whose = rules.structuredOutput ? 'for this schema' : 'in this model'
    warn(`There is no structured output ${whose}: the schema is put to it in words`)
    system.push({ type: 'text', text: schemaInWords(request.responseFormat.schema) })
  }
  const { thinking, effort } = encodeThinking(request, rules, {
    maxTokens,
    isForced: isForced(request.toolChoice),
    continuesWithoutThinking,
    warn,
  })
  const outputConfig = {
    ...(effort && { effort }),
    ...(request.responseFormat &&
      isHeld && {
        format: { type: 'json_schema', schema: toStructuredSchema(request.responseFormat.schema) },
      }),
  }
  const fields: Fields = {
    model,
    max_tokens: maxTokens,
    ...(system.length > 0 && { system }),
    messages,
    ...(tools.length > 0 && { tools }),
    ...encodeToolChoice(request, names),
    ...(thinking && { thinking }),
    ...(Object.keys(outputConfig).length > 0 && { output_config: outputConfig }),
    ...encodeSampling(request, rules, warn),
    ...(request.stopSequences.length > 0 && { stop_sequences: request.stopSequences }),
  }
  addProviderOptions(fields, request.providerOptions)
  return fields
}

function refuseUnsupported(request: CompletionRequest, model: string, rules: MessagesRules): void {
  const { seed, temperature, topP, toolChoice } = request
  if (seed !== undefined) throw unsupported('seed', 'the service has no such setting')
  if (!rules.sampling) {
    const why = `the model "${model}" takes no sampling settings`
    // 1 is what the service does by itself.
    if (temperature !== undefined && temperature !== 1) throw unsupported('temperature', why)
    if (topP !== undefined && topP !== 1) throw unsupported('topP', why)
  }
  if (isForced(toolChoice) && !rules.forcedTools) {
    throw unsupported('toolChoice', `the model "${model}" cannot be made to use a tool`, 'Use "auto"')
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

/** The last anchors count: each caches all that stands before it. Tools stand before everything else. */
function markAnchors(anchors: readonly Fields[], tools: readonly Fields[]): void {
  const marked: Fields[] = anchors.slice(-MAX_CACHE_ANCHORS)
  const lastTool = tools.at(-1)
  if (lastTool && marked.length > 0 && marked.length < MAX_CACHE_ANCHORS) marked.unshift(lastTool)
  for (const block of marked) block.cache_control = { type: 'ephemeral' }
}

function encodeToolChoice(
  { tools, toolChoice, parallelToolCalls }: CompletionRequest,
  names: ToolNames,
): Fields {
  const isSequential = parallelToolCalls === false && tools.length > 0
  const sequential = isSequential ? { disable_parallel_tool_use: true } : {}
  if (typeof toolChoice === 'object') {
    return { tool_choice: { type: 'tool', name: names.toWire(toolChoice.tool), ...sequential } }
  }
  if (toolChoice === 'any') return { tool_choice: { type: 'any', ...sequential } }
  // Without tools `auto` and `none` say nothing, and the API refuses the field.
  if (tools.length === 0) return {}
  if (toolChoice === 'none') return { tool_choice: { type: 'none' } }
  return toolChoice === 'auto' || isSequential ? { tool_choice: { type: 'auto', ...sequential } } : {}
}

function encodeSampling(
  { temperature, topP }: CompletionRequest,
  rules: MessagesRules,
  warn: (message: string) => void,
): Fields {
  if (!rules.sampling) return {}
  if (temperature !== undefined && temperature > 1) {
    warn(`temperature ${temperature} is more than the service takes: 1 is sent instead`)
  }
  return {
    ...(temperature !== undefined && { temperature: Math.min(temperature, 1) }),
    ...(topP !== undefined && { top_p: topP }),
  }
}

function schemaInWords(schema: unknown): string {
  return `Answer with a JSON object that fits this JSON Schema, and nothing else:\n${JSON.stringify(schema)}`
}

function addProviderOptions(fields: Fields, options: Readonly<Fields>): void {
  for (const [field, value] of Object.entries(options)) {
    if (OWN_FIELDS.includes(field)) {
      throw new ProviderError({
        kind: 'invalid-request',
        message: `Cannot send providerOptions.${field}: Airlock sets this field itself. Take it out of providerOptions.`,
      })
    }
    if (field === 'betas') continue
    const own = fields[field]
    if (field === 'tools' && Array.isArray(own) && Array.isArray(value)) fields.tools = [...own, ...value]
    else if (field === 'output_config' && isRecord(own) && isRecord(value))
      fields[field] = { ...own, ...value }
    else if (value === null || value === undefined) delete fields[field]
    // Defined, not assigned: `__proto__` is a name like any other.
    else Object.defineProperty(fields, field, { value, enumerable: true, configurable: true, writable: true })
  }
}
