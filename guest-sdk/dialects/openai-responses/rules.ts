import type { Log } from '../../context.ts'

/** What the API's `reasoning.effort` may say, the least first. */
export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
export type Effort = (typeof EFFORTS)[number]

/** What a model does with a request, as data: the dialect looks at these fields and never at a name. */
export interface ResponsesRules {
  /** The model thinks. Default: not known, so only what the caller asks for is sent. */
  thinking?: boolean
  /** The efforts that the model takes, the least first. Default: all. */
  efforts: readonly Effort[]
  /** What the model does where no effort is named. Default: `medium`. */
  defaultEffort: Effort
  /** Temperature and top-p may be sent: always, never, or with the effort `none` only. Default: `always`. */
  sampling: 'always' | 'never' | 'without-thinking'
  /** Tokens to think in, set by the user for this model: the API has no such setting. Default: none. */
  thinkingBudget?: number
  /** Summaries of the thinking may be asked for. Default: true. */
  summaries: boolean
  /** Reasoning comes back encrypted, to be sent again, where it is asked for. Default: true. */
  encryptedReasoning: boolean
  /** Default: true; false refuses a request that holds one. */
  images: boolean
  /** Default: true; false refuses a request that holds one. */
  files: boolean
  /** Images may stand inside the result of a tool. Default: true; else they follow in a message of their own. */
  resultImages: boolean
  /** Cache anchors become breakpoints. Default: false, the service decides by itself what it caches. */
  cacheBreakpoints: boolean
  /** The role of instructions that stand between the other messages. Default: `developer`. */
  systemRole: 'developer' | 'system'
  /** The least that `max_output_tokens` may say. Default: 16. */
  leastOutputTokens: number
}

export interface ResponsesOptions {
  /**
   * Who serves the request, e.g. `openai`: opaque items go back to the service that made them and to no other that
   * speaks this dialect.
   */
  service: string
  rules?: Partial<ResponsesRules>
  /** Told of what is sent in another way than it was asked for. Default: nobody. */
  log?: Pick<Log, 'warn' | 'debug'>
}

export function resolveRules(rules: Partial<ResponsesRules> = {}): ResponsesRules {
  return {
    efforts: EFFORTS,
    defaultEffort: 'medium',
    sampling: 'always',
    summaries: true,
    encryptedReasoning: true,
    images: true,
    files: true,
    resultImages: true,
    cacheBreakpoints: false,
    systemRole: 'developer',
    leastOutputTokens: 16,
    ...rules,
  }
}
