import type { Log } from '../../context.ts'
import type { MessagesRules } from '../anthropic-messages/rules.ts'

/** What a model does with a request, as data: the dialect looks at these fields and never at a name. */
export interface ConverseRules {
  /**
   * How thinking is asked for, in fields that belong to the model's maker: as in Anthropic's API, as in Amazon's, or
   * by `reasoning_effort`. Default: not at all.
   */
  thinking?: { type: 'anthropic'; rules: Partial<MessagesRules> } | { type: 'nova' } | { type: 'effort' }
  /** Temperature and top-p may be sent. Default: true. */
  sampling: boolean
  /** `any` and a single tool may be forced. Default: true. */
  forcedTools: boolean
  /** Results say that they failed by `status`. Default: false, they say it in words. */
  resultStatus: boolean
  /** An answer can be held to a schema. Default: false, the schema is put to the model in words. */
  structuredOutput: boolean
  /** The last message may be the beginning of the answer. Default: true. */
  prefill: boolean
  /** Where cache points may stand. Default: nowhere. */
  cachePoints: 'none' | 'messages' | 'messages-and-tools'
  /** The longest answer, tokens: thinking by budget needs it. Default: not known. */
  maxOutputTokens?: number
}

export interface ConverseOptions {
  rules?: Partial<ConverseRules>
  /** Told of what is sent in another way than it was asked for. Default: nobody. */
  log?: Pick<Log, 'warn' | 'debug'>
}

export function resolveRules(rules: Partial<ConverseRules> = {}): ConverseRules {
  return {
    sampling: true,
    forcedTools: true,
    resultStatus: false,
    structuredOutput: false,
    prefill: true,
    cachePoints: 'none',
    ...rules,
  }
}
