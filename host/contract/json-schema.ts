import { dereference, type Schema, type SchemaDraft, validate } from '@cfworker/json-schema'
import { describeFindings, type SchemaIssue } from './schema-findings.ts'

export type { SchemaIssue } from './schema-findings.ts'

export interface JsonValidatorOptions {
  /** How messages call the value itself. Default: `the value`. */
  whole?: string
  /**
   * The schema is a stranger's: what can take a computer's time without bounds (`pattern`, `patternProperties`,
   * `format`, `uniqueItems`) is not checked. Default: false.
   */
  untrusted?: boolean
}

// Honest schemas take a few visits for each value inside; `allOf` of `allOf` of ... takes powers of two.
const MAX_VISITS = 200_000
/**
 * Checks values against a JSON Schema (2020-12, or the draft that its `$schema` names: 2019-09, 7, 4). Interprets it:
 * a stranger's schema becomes no code. References stay inside the schema. The schema is copied.
 * @throws {TypeError} the schema cannot be used: a reference leads nowhere, or a pattern is none
 */
export function createJsonValidator(
  schema: Readonly<Record<string, unknown>>,
  { whole = 'the value', untrusted = false }: JsonValidatorOptions = {},
): (value: unknown) => SchemaIssue[] {
  const own: Schema = JSON.parse(JSON.stringify(schema))
  const draft = draftOf(own)
  const lookup: Record<string, Schema | boolean> = dereference(own)
  let visits = 0
  for (const node of new Set(Object.values(lookup))) {
    if (typeof node !== 'object') continue
    if (untrusted) bound(node)
    checkNode(node, lookup)
    countVisits(node, () => {
      if (++visits > MAX_VISITS) throw new RangeError(`more than ${MAX_VISITS} visits`)
    })
  }
  return value => {
    visits = 0
    try {
      const { valid, errors } = validate(value, own, draft, lookup, false)
      return valid ? [] : describeFindings(errors, value, whole)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      return [{ path: '', message: `${whole} cannot be checked: that takes too long, or goes too deep` }]
    }
  }
}

function draftOf({ $schema }: Schema): SchemaDraft {
  const [, named] = /draft(?:\/|-0?)(4|6|7|2019-09|2020-12)\b/.exec(String($schema)) ?? []
  return named === '6' ? '7' : ((named ?? '2020-12') as SchemaDraft)
}

function bound(node: Schema): void {
  delete node.pattern
  delete node.format
  delete node.uniqueItems
  if (node.patternProperties === undefined) return
  // Without the patterns, nobody knows which properties are additional.
  delete node.patternProperties
  delete node.additionalProperties
  delete node.unevaluatedProperties
}

function checkNode(node: Schema, lookup: Readonly<Record<string, unknown>>): void {
  const { $ref, pattern, patternProperties = {}, __absolute_ref__: absolute } = node
  if (absolute !== undefined && lookup[absolute] === undefined)
    throw new TypeError(`nothing is at its $ref ${JSON.stringify($ref)}`)
  for (const each of [pattern, ...Object.keys(patternProperties)]) {
    try {
      if (each !== undefined) new RegExp(each, 'u')
    } catch (cause) {
      throw new TypeError(`${JSON.stringify(each)} is not a pattern`, { cause })
    }
  }
}

/** The validator reads this keyword of every schema that it visits. */
function countVisits(node: Schema, visit: () => void): void {
  const { $recursiveAnchor } = node
  Object.defineProperty(node, '$recursiveAnchor', {
    get() {
      visit()
      return $recursiveAnchor
    },
  })
}
