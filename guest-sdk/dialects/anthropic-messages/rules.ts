import type { Log } from '../../context.ts'

/** What the API's `output_config.effort` may say, the least first. */
export type Effort = 'low' | 'medium' | 'high' | 'xhigh' | 'max'

/** What a model does with a request, as data: the dialect looks at these fields and never at a name. */
export interface MessagesRules {
  /**
   * How thinking is asked for: `adaptive` (the model decides how much), `budget` (a number of tokens), `none`.
   * Default: not known, so only what the caller asks for is sent.
   */
  thinking?: 'adaptive' | 'budget' | 'none'
  /** What turns thinking off; `never` where nothing does. Default: leaving the field out. */
  thinkingOff: 'omit' | 'disabled' | 'between_tools' | 'never'
  /** Tokens to think in, set by the user for this model. Default: by effort. */
  thinkingBudget?: number
  /** The efforts that the model takes. Default: all where thinking is not known or adaptive, else none. */
  efforts: readonly Effort[]
  /** Temperature and top-p may be sent. Default: true. */
  sampling: boolean
  /** `any` and a single tool may be forced. Default: true. */
  forcedTools: boolean
  /** An answer can be held to a schema. Default: true. */
  structuredOutput: boolean
  /** The last message may be the beginning of the answer. Default: true. */
  prefill: boolean
  /** System messages may stand between the others. Default: false, they are put to the model in words. */
  systemMessages: boolean
  /** What `max_tokens`, which the API requires, is where the caller does not say. Default: 32,000. */
  maxOutputTokens: number
}

export interface MessagesOptions {
  rules?: Partial<MessagesRules>
  /** Told of what is sent in another way than it was asked for. Default: nobody. */
  log?: Pick<Log, 'warn' | 'debug'>
}

const ALL_EFFORTS: readonly Effort[] = ['low', 'medium', 'high', 'xhigh', 'max']

export function resolveRules(rules: Partial<MessagesRules> = {}): MessagesRules {
  return {
    thinkingOff: 'omit',
    efforts: rules.thinking === undefined || rules.thinking === 'adaptive' ? ALL_EFFORTS : [],
    sampling: true,
    forcedTools: true,
    structuredOutput: true,
    prefill: true,
    systemMessages: false,
    maxOutputTokens: 32_000,
    ...rules,
  }
}
