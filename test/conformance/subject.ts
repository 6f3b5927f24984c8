import type { Dialect } from './services/service.ts'

/** What a service does not have, and what becomes of a request for it. */
export interface Lack {
  why: string
  /**
   * `refused`: nothing is sent, and the error is `unsupported`. `in-words`: the model is told. `ignored`: the request
   * goes out without.
   */
  outcome: 'refused' | 'in-words' | 'ignored'
}

/** An extension, the service that it talks to, and what that service does not have. */
export interface Subject {
  /** As in a request: `<provider>/<model>`. */
  provider: string
  /** Default: the provider's name. */
  extension?: string
  model: string
  dialect: Dialect
  /** Behind the server's URL, in the settings. Default: nothing. */
  base?: string
  /** The user names the model in the settings, since no list does. */
  isNamed?: boolean
  /** What else the service answers, by path; anything that is no completion and not here gets a 404. */
  others?: (serverUrl: string) => Readonly<Record<string, unknown>>
  /** Default: a key. */
  credential?: (serverUrl: string) => string
  /** What a header must hold. Default: the key. */
  signedBy?: RegExp
  /** It is one of many providers of an extension that fail alike: the failures of the first stand for all. */
  failsLike?: string
  /** By behaviour: what the service has no such thing of. */
  lacks: Readonly<Partial<Record<string, Lack>>>
}

export const NO_REFUSALS: Lack = { why: 'no word for a refusal', outcome: 'ignored' }
export const NO_FILTER: Lack = { why: 'no word for a filter', outcome: 'ignored' }
export const OWN_CACHE: Lack = { why: 'the service caches by itself', outcome: 'ignored' }
export const NO_FILES: Lack = { why: 'takes no documents', outcome: 'refused' }
export const JSON_ONLY: Lack = { why: 'holds an answer to JSON and to no schema', outcome: 'in-words' }
