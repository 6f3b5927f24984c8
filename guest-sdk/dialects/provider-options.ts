import { isRecord } from '../is-record.ts'
import { ProviderError } from '../provider-error.ts'

type Fields = Record<string, unknown>

/** What a dialect does with the fields of `providerOptions`; one that is named nowhere replaces the request's own. */
export interface ProviderOptionRules {
  /** Fields that the dialect answers for: an answer to another request could not be read. */
  own: readonly string[]
  /** Lists that are put behind the request's own, each item once. */
  added?: readonly string[]
  /** Objects whose fields are put over those of the request's own. */
  merged?: readonly string[]
}

/**
 * Puts the options that only this provider understands over a request's fields, in place; `null` takes a field away.
 * @throws {ProviderError} kind `invalid-request` for one of the dialect's own fields, by name.
 */
export function addProviderOptions(
  fields: Fields,
  options: Readonly<Fields>,
  { own, added = [], merged = [] }: ProviderOptionRules,
): void {
  for (const [field, value] of Object.entries(options)) {
    if (own.includes(field)) {
      throw new ProviderError({
        kind: 'invalid-request',
        message: `Cannot send providerOptions.${field}: Airlock sets this field itself. Take it out of providerOptions.`,
      })
    }
    const before = fields[field]
    if (value === null || value === undefined) delete fields[field]
    else if (added.includes(field) && Array.isArray(before) && Array.isArray(value)) {
      define(fields, field, [...new Set([...before, ...value])])
    } else if (merged.includes(field) && isRecord(before) && isRecord(value)) {
      define(fields, field, merge(before, value))
    } else define(fields, field, value)
  }
}

function merge(before: Fields, value: Fields): Fields {
  const both = Object.entries({ ...before, ...value })
  return Object.fromEntries(both.filter(([, item]) => item !== null))
}

/** Defined, not assigned: `__proto__` is a name like any other. */
function define(fields: Fields, field: string, value: unknown): void {
  Object.defineProperty(fields, field, { value, enumerable: true, configurable: true, writable: true })
}
