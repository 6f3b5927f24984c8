import { ProviderError } from '../../provider-error.ts'
import type { CompletionRequest, ToolChoice } from '../../request.ts'
import { fitsStructured } from '../anthropic-messages/fits-structured.ts'
import { toStructuredSchema } from '../anthropic-messages/structured-schema.ts'
import { addProviderOptions } from '../provider-options.ts'
import { writeJson } from '../raw-json.ts'
import { createToolNames, type ToolNames } from '../tool-names.ts'
import { encodeMessages, MAX_CACHE_POINTS } from './encode-messages.ts'
import { type ConverseOptions, type ConverseRules, resolveRules } from './rules.ts'
import { encodeModelFields } from './thinking.ts'

type Fields = Record<string, unknown>
type Warn = (message: string) => void

/**
 * A completion request as the JSON body of `POST /model/<id>/converse-stream`.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html
 *
 * `providerOptions` come last, each a field of its own that replaces one of the same name; `null` takes a field away.
 * `additionalModelRequestFields` and `inferenceConfig` are merged, and `messages` may not be among them.
 * @throws {ProviderError} kind `unsupported` for what neither the service nor the model has, kind `invalid-request` for
 * a protected field in `providerOptions`. The message names the field.
 */
export function encodeConverseRequest(
  request: CompletionRequest,
  model: string,
  options: ConverseOptions = {},
): string {
  const rules = resolveRules(options.rules)
  const warn: Warn = message => options.log?.warn(message)
  refuseUnsupported(request, model, rules)
  const { tools, responseFormat, toolChoice, parallelToolCalls } = request
  const names = converseToolNames(request)
  if (tools.length === 0 && hasCalls(request)) {
    warn('The request has calls and no tools, which the service does not take: the calls are told in words')
  }
  const encoder = { rules, names, hasTools: tools.length > 0, warn }
  const { system, messages, continuesWithoutThinking } = encodeMessages(request.messages, encoder)
  const say = (words: string) => system.push({ text: words })
  if (parallelToolCalls === false && tools.length > 0) {
    warn('The service cannot be held to one call at a time: the model is told so in words')
    say('Call at most one tool at a time.')
  }
  if (toolChoice === 'none' && tools.length > 0) {
    warn('The service cannot keep a model from its tools: the model is told so in words')
    say('Do not call any tool now.')
  }
  const isHeld = rules.structuredOutput && fitsStructured(responseFormat?.schema)
  if (responseFormat && !isHeld) {
    const whose = rules.structuredOutput ? 'for this schema' : 'in this model'
    warn(`There is no structured output ${whose}: the schema is put to it in words`)
    say(
      `Answer with a JSON object that fits this JSON Schema, and nothing else:\n${JSON.stringify(responseFormat.schema)}`,
    )
  }
  const inferenceConfig = encodeInference(request, rules, warn)
  const additionalModelRequestFields = encodeModelFields(request, rules, {
    isForced: isForced(toolChoice),
    continuesWithoutThinking,
    warn,
  })
  const hasAnchor = request.messages.some(message => message.cache)
  const fields: Fields = {
    messages,
    ...(system.length > 0 && { system }),
    ...(Object.keys(inferenceConfig).length > 0 && { inferenceConfig }),
    ...(tools.length > 0 && { toolConfig: encodeTools(request, names, rules, hasAnchor) }),
    ...(responseFormat && isHeld && { outputConfig: encodeFormat(responseFormat) }),
    ...(Object.keys(additionalModelRequestFields).length > 0 && { additionalModelRequestFields }),
  }
  addProviderOptions(fields, request.providerOptions, {
    own: ['messages', 'modelId'],
    merged: ['additionalModelRequestFields', 'inferenceConfig'],
  })
  return writeJson(fields)
}

/** The request's names for its tools, and the API's: letters, digits, `_` and `-`. */
export function converseToolNames({ tools }: Pick<CompletionRequest, 'tools'>): ToolNames {
  return createToolNames(
    tools.map(tool => tool.name),
    { allowed: /[a-zA-Z0-9_-]/, maxLength: 64 },
  )
}

function refuseUnsupported(request: CompletionRequest, model: string, rules: ConverseRules): void {
  const { seed, temperature, topP, toolChoice, tools } = request
  if (seed !== undefined) throw unsupported('seed', 'the service has no such setting')
  if (!rules.sampling) {
    const why = `the model "${model}" takes no sampling settings`
    // 1 is what the service does by itself.
    if (temperature !== undefined && temperature !== 1) throw unsupported('temperature', why)
    if (topP !== undefined && topP !== 1) throw unsupported('topP', why)
  }
  if (!isForced(toolChoice)) return
  if (tools.length === 0) throw unsupported('toolChoice', 'the request has no tools')
  if (!rules.forcedTools) {
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

function hasCalls({ messages }: CompletionRequest): boolean {
  return messages.some(({ content }) =>
    content.some(({ type }) => type === 'tool-use' || type === 'tool-result'),
  )
}

function encodeInference(
  { maxTokens, temperature, topP, stopSequences }: CompletionRequest,
  { sampling }: ConverseRules,
  warn: Warn,
): Fields {
  if (sampling && temperature !== undefined && temperature > 1) {
    warn(`temperature ${temperature} is more than the service takes: 1 is sent instead`)
  }
  return {
    ...(maxTokens !== undefined && { maxTokens }),
    ...(sampling && temperature !== undefined && { temperature: Math.min(temperature, 1) }),
    ...(sampling && topP !== undefined && { topP }),
    ...(stopSequences.length > 0 && { stopSequences }),
  }
}

function encodeTools(
  { tools, toolChoice, messages }: CompletionRequest,
  names: ToolNames,
  { cachePoints }: ConverseRules,
  hasAnchor: boolean,
): Fields {
  const specs: Fields[] = tools.map(({ name, description, inputSchema }) => ({
    toolSpec: {
      name: names.toWire(name),
      ...(description !== '' && { description }),
      inputSchema: { json: inputSchema },
    },
  }))
  const anchors = messages.filter(message => message.cache).length
  const caches = cachePoints === 'messages-and-tools' && hasAnchor && anchors < MAX_CACHE_POINTS
  if (caches) specs.push({ cachePoint: { type: 'default' } })
  return { tools: specs, ...encodeToolChoice(toolChoice, names) }
}

/** `auto` is what the service does by itself, and not every model takes the field. */
function encodeToolChoice(choice: ToolChoice | undefined, names: ToolNames): Fields {
  if (typeof choice === 'object') return { toolChoice: { tool: { name: names.toWire(choice.tool) } } }
  return choice === 'any' ? { toolChoice: { any: {} } } : {}
}

function encodeFormat({ name, schema }: NonNullable<CompletionRequest['responseFormat']>): Fields {
  return {
    textFormat: {
      type: 'json_schema',
      structure: {
        jsonSchema: {
          name: name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'answer',
          schema: JSON.stringify(toStructuredSchema(schema)),
        },
      },
    },
  }
}
