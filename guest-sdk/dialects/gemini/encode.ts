import { isRecord } from '../../is-record.ts'
import { ProviderError } from '../../provider-error.ts'
import type { CompletionRequest, ToolDefinition } from '../../request.ts'
import { writeJson } from '../raw-json.ts'
import { createToolNames, type ToolNames } from '../tool-names.ts'
import { type Content, encodeContents } from './encode-contents.ts'
import type { Part } from './encode-media.ts'
import { type GeminiOptions, type GeminiRules, resolveRules } from './rules.ts'
import { encodeThinking } from './thinking.ts'

/** Fields that the dialect answers for: an answer to another request could not be read. */
const OWN_FIELDS = ['contents', 'model']
const MAX_INT32 = 0x7fffffff

type Fields = Record<string, unknown>

/**
 * A completion request as the JSON body of `POST …:streamGenerateContent`.
 *
 * `providerOptions` come last, each a field of its own that replaces one of the same name; `null` takes a field away.
 * `tools` are added to the request's own, `generationConfig` and `toolConfig` are merged, and `contents` and `model`
 * may not be among them. Cache anchors need no field: the service caches by itself.
 * @throws {ProviderError} kind `unsupported` for what the service does not have, kind `invalid-request` for a
 * protected field in `providerOptions`. The message names the field.
 */
export function encodeGeminiRequest(request: CompletionRequest, options: GeminiOptions = {}): string {
  return writeJson(encodeFields(request, options))
}

/** The same request as the JSON body of `POST …:countTokens`. @param resource e.g. `models/gemini-2.5-pro`. */
export function encodeGeminiCountRequest(
  request: CompletionRequest,
  resource: string,
  options: GeminiOptions = {},
): string {
  return writeJson({ generateContentRequest: { model: resource, ...encodeFields(request, options) } })
}

/** The request's names for its tools, and the API's. */
export function geminiToolNames({ tools }: Pick<CompletionRequest, 'tools'>): ToolNames {
  return createToolNames(
    tools.map(tool => tool.name),
    { first: /[a-zA-Z_]/, allowed: /[a-zA-Z0-9_.:-]/, maxLength: 64 },
  )
}

function encodeFields(request: CompletionRequest, options: GeminiOptions): Fields {
  const rules = resolveRules(options.rules)
  const warn = (message: string) => options.log?.warn(message)
  const names = geminiToolNames(request)
  const { system, contents } = encodeContents(request.messages, rules, names, warn)
  if (request.parallelToolCalls === false && request.tools.length > 0) {
    warn('The service cannot be held to one call at a time: the model is told so in words')
    system.push({ text: 'Call at most one function at a time.' })
  }
  const isFormatTaken = rules.formatWithTools || request.tools.length === 0
  if (request.responseFormat && !isFormatTaken) {
    warn('The model cannot be held to a schema where it has tools: it is told the schema in words')
    const schema = JSON.stringify(request.responseFormat.schema)
    system.push({ text: `Answer with JSON that fits this JSON Schema, and nothing else:\n${schema}` })
  }
  if (!rules.systemInstruction) moveSystem(system, contents)
  const generationConfig = encodeGenerationConfig(request, rules, isFormatTaken, warn)
  const fields: Fields = {
    ...(system.length > 0 && { systemInstruction: { parts: system } }),
    contents,
    ...(request.tools.length > 0 && {
      tools: [{ functionDeclarations: request.tools.map(tool => encodeTool(tool, names)) }],
    }),
    ...encodeToolChoice(request, names),
    ...(Object.keys(generationConfig).length > 0 && { generationConfig }),
  }
  addProviderOptions(fields, request.providerOptions)
  return fields
}

function moveSystem(system: Part[], contents: Content[]): void {
  if (system.length === 0) return
  const instructions = system.splice(0)
  if (contents[0]?.role === 'user') contents[0].parts.unshift(...instructions)
  else contents.unshift({ role: 'user', parts: instructions })
}

function encodeTool({ name, description, inputSchema }: ToolDefinition, names: ToolNames): Fields {
  // An object without properties is refused: a function without parameters has none of the field.
  const { properties } = inputSchema
  const takesNothing = isRecord(properties)
    ? Object.keys(properties).length === 0
    : inputSchema.type === 'object'
  return {
    name: names.toWire(name),
    ...(description !== '' && { description }),
    ...(!takesNothing && { parameters: inputSchema }),
  }
}

function encodeToolChoice({ tools, toolChoice }: CompletionRequest, names: ToolNames): Fields {
  if (toolChoice === undefined) return {}
  const config = (functionCallingConfig: Fields) => ({ toolConfig: { functionCallingConfig } })
  if (typeof toolChoice === 'object') {
    return config({ mode: 'ANY', allowedFunctionNames: [names.toWire(toolChoice.tool)] })
  }
  if (toolChoice === 'any') return config({ mode: 'ANY' })
  // Without tools `auto` and `none` say nothing.
  return tools.length > 0 ? config({ mode: toolChoice === 'none' ? 'NONE' : 'AUTO' }) : {}
}

function encodeGenerationConfig(
  request: CompletionRequest,
  rules: GeminiRules,
  isFormatTaken: boolean,
  warn: (message: string) => void,
): Fields {
  const { temperature, topP, seed, maxTokens, stopSequences } = request
  const responseFormat = isFormatTaken ? request.responseFormat : undefined
  if (seed !== undefined && Math.abs(seed) > MAX_INT32) {
    throw new ProviderError({
      kind: 'unsupported',
      message: `Cannot send seed: the service takes whole numbers of 32 bits: current value is ${seed}. Choose a smaller one.`,
    })
  }
  if (responseFormat && !responseFormat.strict) warn('The service always holds the answer to its schema')
  const thinkingConfig = encodeThinking(request, rules, warn)
  return {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(seed !== undefined && { seed }),
    ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
    ...(stopSequences.length > 0 && { stopSequences }),
    ...(responseFormat && encodeFormat(responseFormat)),
    ...(thinkingConfig && { thinkingConfig }),
  }
}

/** An object without properties is refused: what is asked for is JSON then, which is an object as a rule. */
function encodeFormat({ schema }: NonNullable<CompletionRequest['responseFormat']>): Fields {
  const isOpen = schema.type === 'object' && Object.keys(schema.properties ?? {}).length === 0
  return { responseMimeType: 'application/json', ...(!isOpen && { responseSchema: schema }) }
}

function addProviderOptions(fields: Fields, options: Readonly<Fields>): void {
  for (const [field, value] of Object.entries(options)) {
    if (OWN_FIELDS.includes(field)) {
      throw new ProviderError({
        kind: 'invalid-request',
        message: `Cannot send providerOptions.${field}: Airlock sets this field itself. Take it out of providerOptions.`,
      })
    }
    const own = fields[field]
    const isMerged = field === 'generationConfig' || field === 'toolConfig'
    if (field === 'tools' && Array.isArray(own) && Array.isArray(value)) fields.tools = [...own, ...value]
    else if (isMerged && isRecord(own) && isRecord(value)) fields[field] = { ...own, ...value }
    else if (value === null || value === undefined) delete fields[field]
    // Defined, not assigned: `__proto__` is a name like any other.
    else Object.defineProperty(fields, field, { value, enumerable: true, configurable: true, writable: true })
  }
}
