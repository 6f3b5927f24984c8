import type { Log } from '../../context.ts'

/** What a model does with a request, as data: the dialect looks at these fields and never at a name. */
export interface OllamaRules {
  /**
   * How thinking is asked for: on or off (`switch`), or by `levels` (low, medium, high), which cannot be turned off.
   * Default: `switch`, which every other model that thinks takes.
   */
  thinking: 'switch' | 'levels'
  /**
   * The window that the server is to give the model, tokens. Default: the server's own, which is often a few thousand,
   * and from a longer prompt it cuts the beginning without a word.
   */
  contextTokens?: number
}

export interface OllamaOptions {
  rules?: Partial<OllamaRules>
  /** Told of what is sent in another way than it was asked for. Default: nobody. */
  log?: Pick<Log, 'warn' | 'debug'>
}
