import type { ReasoningEffort } from '../../request.ts'

/**
 * Where services that speak this dialect differ. An extension states what its service does, as data; the dialect
 * looks at these fields and never at a name.
 */
export interface ChatQuirks {
  /** Ask for token counts in the stream (`stream_options.include_usage`). Some services refuse the field. Default: true. */
  usageInStream: boolean
  /** Default: `max_tokens`, which all but OpenAI's own reasoning models take. */
  maxTokensField: 'max_tokens' | 'max_completion_tokens'
  /** Default: `system`. */
  systemRole: 'system' | 'developer'
  /** A message's content may be a list of parts. False: text only, joined to one string. Default: true. */
  contentParts: boolean
  /** Default: true; false refuses a request that holds one. */
  images: boolean
  /** Default: true; false refuses a request that holds one. */
  files: boolean
  /** Mark a message's `cache` anchor with `cache_control`. Default: false. */
  cacheControl: boolean
  /**
   * On which assistant turns the model's thinking goes back. Some services require it where tools were called,
   * some refuse it everywhere. Default: `never`.
   */
  reasoningEcho: 'never' | 'tool-turns' | 'always'
  /** Where an echo goes; `thinking-part` is a part of the content. Default: `reasoning_content`. */
  reasoningField: 'reasoning_content' | 'reasoning' | 'thinking-part'
  /** Send `reasoning-details` back as `reasoning_details`; the plain text is then left out. Default: false. */
  reasoningDetails: boolean
  /** Where the effort goes; `none` leaves it out. Default: `reasoning_effort`. */
  effortField: 'reasoning_effort' | 'reasoning.effort' | 'none'
  /** The service's word for an effort; without one the effort is left out. Default: its own name, `high` for `max`. */
  effortNames: Partial<Record<ReasoningEffort, string>>
  /** Fields that turn thinking off where the caller does not allow it; `never` where nothing does. Default: none. */
  thinkingOff: Readonly<Record<string, unknown>> | 'never'
  /** Fields that turn thinking on where an effort is asked for. Default: none, the model thinks by itself. */
  thinkingOn: Readonly<Record<string, unknown>>
  /** Temperature and top-p have an effect while the model thinks, which it does unless it is told not to. Default: true. */
  samplingWhileThinking: boolean
  /** The word for "some tool"; `refused` where only a named one can be forced. Default: `required`. */
  toolChoiceAny: 'required' | 'any' | 'refused'
  /** The model can be kept from its tools by `tool_choice`; else they are left out of the request. Default: true. */
  toolChoiceNone: boolean
  /** When a tool may be forced; for `unless-thinking` thinking is turned off for that request. Default: `always`. */
  forcedTools: 'always' | 'unless-thinking' | 'never'
  /** `parallel_tool_calls` may be sent; else the model is told in words. Default: true. */
  parallelToolCalls: boolean
  /** `alphanumeric-9`: ids of tool calls are nine letters and digits. Default: `any`, up to 40 characters. */
  toolCallIds: 'any' | 'alphanumeric-9'
  /** Default: `seed`. */
  seedField: 'seed' | 'random_seed'
  /** What the service or the model does not take, and why: a request that has it is refused by name. Default: nothing. */
  refused: Partial<Record<'seed' | 'stopSequences' | 'tools' | 'temperature' | 'topP', string>>
  /** The part of a message that holds a document. Default: `file`. */
  filePart: 'file' | 'document_url'
  /** A user's message may not follow the result of a tool: a word of the model's stands between. Default: false. */
  assistantAfterTool: boolean
  /** A last message of the model's own, which it is to continue, is marked with `prefix`. Default: false. */
  prefixField: boolean
  /** `json_object`: the service guarantees JSON only, so the schema is put to the model in words. Default: `json_schema`. */
  structuredOutput: 'json_schema' | 'json_object'
  /** `strict` may be sent with a response schema. Default: true. */
  strictSchemas: boolean
  /** Fields that every request has. Default: none. */
  extraFields: Readonly<Record<string, unknown>>
  /**
   * Whether an answer that ends with `[DONE]` and no `finish_reason` is whole. A gateway that lost its upstream ends
   * so too. Complete tool calls pass in any case. Default: false.
   */
  doneIsEnough: boolean
}

const DEFAULT_QUIRKS: ChatQuirks = {
  usageInStream: true,
  maxTokensField: 'max_tokens',
  systemRole: 'system',
  contentParts: true,
  images: true,
  files: true,
  cacheControl: false,
  reasoningEcho: 'never',
  reasoningField: 'reasoning_content',
  reasoningDetails: false,
  effortField: 'reasoning_effort',
  effortNames: {
    none: 'none',
    minimal: 'minimal',
    low: 'low',
    medium: 'medium',
    high: 'high',
    max: 'high',
  },
  thinkingOff: {},
  thinkingOn: {},
  samplingWhileThinking: true,
  toolChoiceAny: 'required',
  toolChoiceNone: true,
  forcedTools: 'always',
  parallelToolCalls: true,
  toolCallIds: 'any',
  seedField: 'seed',
  refused: {},
  filePart: 'file',
  assistantAfterTool: false,
  prefixField: false,
  structuredOutput: 'json_schema',
  strictSchemas: true,
  extraFields: {},
  doneIsEnough: false,
}

export function resolveQuirks(quirks: Partial<ChatQuirks> = {}): ChatQuirks {
  return { ...DEFAULT_QUIRKS, ...quirks }
}
