import { ProviderError } from '../../provider-error.ts'
import type { CompletionRequest, ReasoningEffort } from '../../request.ts'
import { addProviderOptions } from '../provider-options.ts'
import { writeJson } from '../raw-json.ts'
import { encodeMessages } from './encode-messages.ts'
import type { OllamaOptions, OllamaRules } from './rules.ts'

type Fields = Record<string, unknown>
type Warn = (message: string) => void

/**
 * A completion request as the JSON body of `POST /api/chat`, streaming.
 * https://docs.ollama.com/api/chat
 *
 * `providerOptions` come last, each a field of its own that replaces one of the same name; `null` takes a field away.
 * `options` are merged, and `model`, `messages` and `stream` may not be among them. Cache anchors need no field: the
 * server keeps what it has read.
 * @throws {ProviderError} kind `unsupported` for what the server does not have, kind `invalid-request` for a protected
 * field in `providerOptions`. The message names the field.
 */
export function encodeOllamaRequest(
  request: CompletionRequest,
  model: string,
  { rules = {}, log }: OllamaOptions = {},
): string {
  const warn: Warn = message => log?.warn(message)
  const { tools, toolChoice, parallelToolCalls, responseFormat } = request
  if (toolChoice === 'any' || typeof toolChoice === 'object') {
    throw new ProviderError({
      kind: 'unsupported',
      message: 'Cannot send toolChoice: Ollama cannot make a model use a tool. Use "auto".',
    })
  }
  const messages = encodeMessages(request.messages)
  const isSequential = parallelToolCalls === false && tools.length > 0 && toolChoice !== 'none'
  if (isSequential) {
    warn('Ollama cannot hold a model to one call at a time: the model is told so in words')
    messages.unshift({ role: 'system', content: 'Call at most one tool at a time.' })
  }
  if (toolChoice === 'none' && tools.length > 0) {
    warn('Ollama cannot keep a model from its tools: they are left out of this request')
  }
  const options = encodeOptions(request, rules)
  const think = encodeThink(request, rules, warn)
  const fields: Fields = {
    model,
    messages,
    stream: true,
    ...(tools.length > 0 &&
      toolChoice !== 'none' && {
        tools: tools.map(({ name, description, inputSchema }) => ({
          type: 'function',
          function: { name, description, parameters: inputSchema },
        })),
      }),
    ...(responseFormat && { format: responseFormat.schema }),
    ...(think !== undefined && { think }),
    ...(Object.keys(options).length > 0 && { options }),
  }
  addProviderOptions(fields, request.providerOptions, {
    own: ['model', 'messages', 'stream'],
    merged: ['options'],
  })
  return writeJson(fields)
}

function encodeOptions(
  { temperature, topP, seed, maxTokens, stopSequences }: CompletionRequest,
  { contextTokens }: Partial<OllamaRules>,
): Fields {
  return {
    ...(contextTokens !== undefined && { num_ctx: contextTokens }),
    ...(maxTokens !== undefined && { num_predict: maxTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(seed !== undefined && { seed }),
    ...(stopSequences.length > 0 && { stop: stopSequences }),
  }
}

const LEVELS: Readonly<Record<ReasoningEffort, 'low' | 'medium' | 'high'>> = {
  none: 'low',
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  max: 'high',
}

/** Undefined leaves it to the model, which thinks where it can. */
function encodeThink(
  { thinkingAllowed, reasoningEffort: effort }: CompletionRequest,
  { thinking = 'switch' }: Partial<OllamaRules>,
  warn: Warn,
): boolean | string | undefined {
  const isOff = !thinkingAllowed || effort === 'none'
  if (thinking === 'switch') {
    if (isOff) return false
    if (effort === undefined) return undefined
    warn(`reasoningEffort "${effort}" turns thinking on and no more: the model has no efforts`)
    return true
  }
  if (isOff) {
    warn('The model always thinks: it is asked for the least effort instead')
    return LEVELS.none
  }
  if (effort === undefined) return undefined
  const level = LEVELS[effort]
  if (level !== effort)
    warn(`reasoningEffort "${effort}" is sent as "${level}", the nearest that the model has`)
  return level
}
