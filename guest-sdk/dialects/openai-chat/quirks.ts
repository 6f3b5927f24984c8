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
  /** Fields that turn thinking off where the caller does not allow it. Default: none. */
  thinkingOff: Readonly<Record<string, unknown>>
  /** The word for "some tool". Default: `required`. */
  toolChoiceAny: 'required' | 'any'
  /** `parallel_tool_calls` may be sent. Default: true. */
  parallelToolCalls: boolean
  /** `alphanumeric-9`: ids of tool calls are nine letters and digits. Default: `any`, up to 40 characters. */
  toolCallIds: 'any' | 'alphanumeric-9'
  /** `json_object`: the service guarantees JSON only, so the schema is put to the model in words. Default: `json_schema`. */
  structuredOutput: 'json_schema' | 'json_object'
  /** `strict` may be sent with a response schema. Default: true. */
  strictSchemas: boolean
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
  toolChoiceAny: 'required',
  parallelToolCalls: true,
  toolCallIds: 'any',
  structuredOutput: 'json_schema',
  strictSchemas: true,
  doneIsEnough: false,
}

export function resolveQuirks(quirks: Partial<ChatQuirks> = {}): ChatQuirks {
  return { ...DEFAULT_QUIRKS, ...quirks }
}
