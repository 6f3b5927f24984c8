import { createHash, randomInt } from 'node:crypto'
import type { NetworkRules } from '../policy/network.ts'
import {
  type BoundSecret,
  type InjectableRequest,
  type InjectedRequest,
  injectSecrets,
  PLACEHOLDER_PREFIX,
  PLACEHOLDER_RANDOM_CHARS,
} from './inject.ts'
import { createRedactionList, type Redactor } from './redact.ts'

/**
 * The secrets of one extension and the random words that stand for them. One set for each extension: a placeholder
 * of another's is an unknown word here.
 */
export interface Placeholders {
  /**
   * The stand-in for a secret: the same for one key as long as this set lives, also when the secret is another by
   * now (a refreshed token). `origins`: where the secret may go. From here on the secret is redacted.
   */
  placeholderFor(key: string, secret: string, origins: NetworkRules): string
  /** What a placeholder of this set stands for. */
  reveal(placeholder: string): Pick<BoundSecret, 'key' | 'secret'> | undefined
  /** The placeholder of this key stands for nothing any more; its secret stays redacted. */
  forget(key: string): void
  /**
   * Redacts a secret that has no placeholder: one that the guest may read and a log may not show. `key` is what a
   * recording calls it by, as that of a placeholder.
   */
  hide(secret: string, key?: string): void
  /**
   * Puts a name in the place of each hidden value that has a key, the same in each process: `airlock-env-aws-region`.
   * Of lower-case letters, digits and dashes, at most 40: it may stand in a host's name.
   */
  nameHidden(text: string): string
  /** Keeps a secret out of logs that the guest was given by its service and has not stored yet. */
  overhear(secret: string): void
  /**
   * Swaps placeholders for secrets: in header values, inside `Basic` and `Bearer` too, in the query, and in the
   * body fields named. Percent-encoded spellings as well. Throws PermissionDeniedError for a placeholder that is
   * bound for an origin that is not its own.
   */
  inject(request: InjectableRequest): InjectedRequest
  redactor(): Redactor
  /** For answers to a guest that may store what is in them: a secret that comes back is its placeholder again. */
  standInRedactor(): Redactor
}

export function createPlaceholders(): Placeholders {
  const byKey = new Map<string, string>()
  const byPlaceholder = new Map<string, BoundSecret>()
  const list = createRedactionList()
  const named = createRedactionList()

  return {
    placeholderFor(key, secret, origins) {
      const placeholder = byKey.get(key) ?? randomPlaceholder()
      byKey.set(key, placeholder)
      byPlaceholder.set(placeholder, { key, secret, origins })
      list.add(secret, placeholder)
      return placeholder
    },
    reveal: placeholder => byPlaceholder.get(placeholder),
    forget(key) {
      const placeholder = byKey.get(key)
      byKey.delete(key)
      if (placeholder === undefined) return
      byPlaceholder.delete(placeholder)
      list.release(placeholder)
    },
    hide(secret, key) {
      list.add(secret)
      if (key !== undefined) named.add(secret, hiddenName(key))
    },
    nameHidden: text => named.standInRedactor.text(text),
    overhear: list.addOverheard,
    inject(request) {
      const injected = injectSecrets(request, placeholder => byPlaceholder.get(placeholder))
      for (const value of injected.derived) list.addSpelling(value)
      return injected
    },
    redactor: () => list.redactor,
    standInRedactor: () => list.standInRedactor,
  }
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Looks like a key: no client takes offence at it, and nothing encodes it. */
function randomPlaceholder(): string {
  let text = PLACEHOLDER_PREFIX
  for (let i = 0; i < PLACEHOLDER_RANDOM_CHARS; i++) text += ALPHABET[randomInt(ALPHABET.length)]
  return text
}

const HIDDEN_NAME_CHARS = 40

/** Of `env:ext:AWS_REGION`: without the extension, which a recording is of alone. */
function hiddenName(key: string): string {
  const [kind, , ...rest] = key.split(':')
  const name = `airlock-${[kind, ...rest].join('-')}`
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/-$/, '')
  if (name.length <= HIDDEN_NAME_CHARS) return name
  // Two long names may begin alike.
  const digest = createHash('sha256').update(key).digest('hex').slice(0, 8)
  return `${name.slice(0, HIDDEN_NAME_CHARS - digest.length - 1).replace(/-$/, '')}-${digest}`
}
