import type { Log } from '../../context.ts'

export type ThinkingLevel = 'minimal' | 'low' | 'medium' | 'high'

/** What a model does with a request, as data: the dialect looks at these fields and never at a name. */
export interface GeminiRules {
  /**
   * How thinking is asked for: by `level`, by `budget` (tokens), or `none`. Default: not known, so only what the
   * caller asks for is sent.
   */
  thinking?: 'level' | 'budget' | 'none'
  /** The levels that the model takes, the least first. Default: low, medium, high. */
  levels: readonly ThinkingLevel[]
  /** Tokens that a budget may have. A least of 0 turns thinking off. */
  budget: { least: number; most: number }
  /** Tokens to think in, set by the user for this model. Default: by effort, else the model decides. */
  thinkingBudget?: number
  /** The first call of a turn must carry a signature; a call of another model's gets the API's stand-in. Default: false. */
  signedCalls: boolean
  /** Ids of calls go back to the model, where it gave them. Default: true. */
  callIds: boolean
  /** Images may stand inside the result of a tool. Default: false, they follow in a message of their own. */
  resultImages: boolean
  /** An answer may be held to a schema where there are tools. Default: true; else the model is told in words. */
  formatWithTools: boolean
  /** A system instruction may be sent. Default: true; else it stands in the first user message. */
  systemInstruction: boolean
}

export interface GeminiOptions {
  rules?: Partial<GeminiRules>
  /** Told of what is sent in another way than it was asked for. Default: nobody. */
  log?: Pick<Log, 'warn' | 'debug'>
}

export function resolveRules(rules: Partial<GeminiRules> = {}): GeminiRules {
  return {
    levels: ['low', 'medium', 'high'],
    budget: { least: 0, most: 24_576 },
    signedCalls: false,
    callIds: true,
    resultImages: false,
    formatWithTools: true,
    systemInstruction: true,
    ...rules,
  }
}
