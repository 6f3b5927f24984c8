import type { CompletionRequest } from '../../contract/request.ts'
import { InvalidRequestError } from '../../errors.ts'
import { answerOpenCalls } from '../answer-open-calls.ts'
import type { Keepsakes } from './keepsakes.ts'
import { type ChatMessageLike, toMessages } from './to-messages.ts'

export const LanguageModelChatToolMode = { Auto: 1, Required: 2 } as const
export type LanguageModelChatToolMode =
  (typeof LanguageModelChatToolMode)[keyof typeof LanguageModelChatToolMode]

/** A tool that the model may call. One of `lm.tools` is one. */
export interface LanguageModelChatTool {
  name: string
  description: string
  /** JSON Schema. */
  inputSchema?: object | undefined
  /** The same, as the first version of the interface calls it. */
  parametersSchema?: object | undefined
}

export interface LanguageModelChatRequestOptions {
  /** Why the model is asked. Airlock asks the user when an extension is installed, so nobody is shown it. */
  justification?: string
  /**
   * `temperature`, `topP`, `seed`, `maxTokens`, `stop`, `reasoningEffort`, `thinkingAllowed`, `parallelToolCalls`, as
   * well as `top_p` and `max_tokens`; what else there is goes to the provider as it is.
   */
  modelOptions?: Readonly<Record<string, unknown>>
  tools?: readonly LanguageModelChatTool[]
  /** The one tool that the model must call, by its name. */
  toolChoice?: string
  /** Default: Auto. */
  toolMode?: LanguageModelChatToolMode
}

/** Fields of a request, by how they are called in `modelOptions`. */
const FIELDS: Readonly<Record<string, keyof CompletionRequest>> = {
  temperature: 'temperature',
  topP: 'topP',
  top_p: 'topP',
  seed: 'seed',
  maxTokens: 'maxTokens',
  max_tokens: 'maxTokens',
  stop: 'stopSequences',
  stopSequences: 'stopSequences',
  reasoningEffort: 'reasoningEffort',
  thinkingAllowed: 'thinkingAllowed',
  parallelToolCalls: 'parallelToolCalls',
}

/** @throws {InvalidRequestError} naming what cannot be sent */
export function toRequest(
  model: string,
  messages: readonly ChatMessageLike[],
  options: LanguageModelChatRequestOptions,
  keepsakes: Keepsakes,
): CompletionRequest {
  const tools = (options.tools ?? []).map(({ name, description, inputSchema, parametersSchema }) => {
    const schema = inputSchema ?? parametersSchema
    return { name, description, ...(schema && { inputSchema: { ...schema } }) }
  })
  return {
    model,
    messages: answerOpenCalls(toMessages(messages, keepsakes)),
    ...(tools.length > 0 && { tools }),
    ...toToolChoice(options),
    ...toFields(options.modelOptions ?? {}),
  }
}

function toToolChoice({ tools = [], toolChoice, toolMode }: LanguageModelChatRequestOptions) {
  if (toolChoice !== undefined) {
    if (!tools.some(({ name }) => name === toolChoice))
      refuse('toolChoice', `names "${toolChoice}", which is none of the tools`)
    return { toolChoice: { tool: toolChoice } }
  }
  if (toolMode === undefined || toolMode === LanguageModelChatToolMode.Auto) return {}
  if (toolMode !== LanguageModelChatToolMode.Required)
    refuse('toolMode', `must be Auto (1) or Required (2), not ${toolMode}`)
  if (tools.length === 0) refuse('toolMode', 'is Required, and there are no tools')
  return { toolChoice: 'any' as const }
}

function toFields(modelOptions: Readonly<Record<string, unknown>>): Partial<CompletionRequest> {
  const fields: Record<string, unknown> = {}
  const providerOptions: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(modelOptions)) {
    const field = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined
    if (value === undefined) continue
    if (field === undefined) providerOptions[name] = value
    else fields[field] = field === 'stopSequences' && typeof value === 'string' ? [value] : value
  }
  // Checked with the rest of the request, which names the field.
  return { ...fields, ...(Object.keys(providerOptions).length > 0 && { providerOptions }) }
}

function refuse(path: string, problem: string): never {
  throw new InvalidRequestError(path, `Cannot send this request: ${path} ${problem}`)
}
