import { replaceSecrets } from '../../credentials/credential-document.ts'
import { findTokenFields } from '../../credentials/find-tokens.ts'
import { replacePlaceholders } from '../../credentials/inject.ts'
import type { Placeholders } from '../../credentials/placeholders.ts'
import { createRedactionList } from '../../credentials/redact.ts'
import type { Clean } from './clean-exchange.ts'
import type { RecordedFacts } from './tape.ts'

const STAND_IN = 'airlock-secret-'

/** What a recording calls each secret: one name for one secret, in requests, answers and facts alike. */
export interface Names {
  clean: Clean
  /** Names the tokens of an answer that nobody knows yet, such as those of a sign-in; `number` is the exchange's. */
  learnTokens(body: Uint8Array, headers: readonly (readonly [string, string])[], number: number): void
  /** Names what the guest's credentials hold by now. True where one of them is new. */
  learnCredentials(credentials: RecordedFacts['credentials']): boolean
}

export function createNames(placeholders: Placeholders): Names {
  const redactor = placeholders.redactor()
  const learned = createRedactionList()
  const known = new Set<string>()
  /** How many secrets each key has had. */
  const versions = new Map<string, number>()
  const nameOf = (placeholder: string) => standInName(placeholders.reveal(placeholder)?.key ?? 'unknown')

  function learn(secret: string, name: string): void {
    known.add(secret)
    learned.add(secret, name)
  }

  return {
    clean: text =>
      replacePlaceholders(redactor.text(placeholders.nameHidden(learned.standInRedactor.text(text))), nameOf),

    learnTokens(body, headers, number) {
      const type = headers.find(([name]) => name === 'content-type')?.[1] ?? ''
      if (!/json|x-www-form-urlencoded/i.test(type)) return
      for (const [name, value] of findTokenFields(body)) {
        // One that came back as the word that stands for it has its name.
        const isNamed = known.has(value) || replacePlaceholders(value, () => '') !== value
        if (!isNamed) learn(value, `${standInName(name)}-${number}`)
      }
    },

    learnCredentials(credentials) {
      let isNew = false
      for (const value of Object.values(credentials))
        replaceSecrets(value, (_, text) => {
          const bound = placeholders.reveal(text)
          const secret = bound?.secret ?? text
          if (known.has(secret)) return text
          isNew = true
          // A value that the guest may read has a name already.
          if (!bound) known.add(secret)
          else {
            const version = (versions.get(bound.key) ?? 0) + 1
            versions.set(bound.key, version)
            learn(secret, standInName(bound.key) + (version > 1 ? `-${version}` : ''))
          }
          return text
        })
      return isNew
    },
  }
}

/** The same in every recording, and as it is in a URL and a header: `airlock-secret-credential-anthropic`. */
function standInName(key: string): string {
  return STAND_IN + key.replace(/[^0-9A-Za-z]+/g, '-')
}
