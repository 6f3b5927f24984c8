import type { OutputUnit } from '@cfworker/json-schema'
import { formatPath } from './describe-issue.ts'

export interface SchemaIssue {
  /** Where, e.g. `files[0].name`; empty for the whole. */
  path: string
  /** A sentence with the path in it: `files[0].name must be a string, not a number`. Repeats no value. */
  message: string
}

/** These say that something inside does not fit; what it is stands in a finding of its own. */
const OUTER = new Set([
  '$ref',
  '$recursiveRef',
  'allOf',
  'anyOf',
  'oneOf',
  'properties',
  'patternProperties',
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'dependencies',
  'dependentSchemas',
  'items',
  'prefixItems',
  'additionalItems',
  'unevaluatedItems',
  'if',
])

/** What the validator found, as sentences that name what has to change. */
export function describeFindings(
  findings: readonly OutputUnit[],
  value: unknown,
  whole: string,
): SchemaIssue[] {
  const issues = new Map<string, SchemaIssue>()
  for (const finding of innermost(findings)) {
    const { path, found } = locate(finding.instanceLocation, value)
    const [, missing] = /^Instance does not have required property "(.*)"\.$/s.exec(finding.error) ?? []
    const at = formatPath(missing === undefined ? path : [...path, missing])
    const message = missing === undefined ? sentence(finding, at || whole, found) : `${at} is missing`
    issues.set(message, { path: at, message })
  }
  return [...issues.values()]
}

/** The findings that say what does not fit; of several alternatives, the one that fits furthest was meant. */
function innermost(findings: readonly OutputUnit[]): OutputUnit[] {
  let left = [...findings]
  for (const choice of findings) {
    if ((choice.keyword !== 'anyOf' && choice.keyword !== 'oneOf') || !left.includes(choice)) continue
    const inside = left.filter(other => isInside(other, choice))
    const depth = Math.max(...inside.map(depthOf))
    const meant = depth > depthOf(choice) ? inside.find(other => depthOf(other) === depth) : undefined
    if (meant) {
      const branch = branchOf(meant, choice)
      left = left.filter(other => !inside.includes(other) || branchOf(other, choice) === branch)
      continue
    }
    // Nothing fits further than another: all that would do are the answer.
    left = left.filter(other => !inside.includes(other))
    const types = inside.filter(({ keyword }) => keyword === 'type')
    const error = types.map(type => type.error.replace(/^.*Expected /s, '')).join(', ')
    if (types.length > 0) left[left.indexOf(choice)] = { ...choice, keyword: 'type', error }
  }
  return left.filter(({ keyword }, index) => {
    const finding = left[index] as OutputUnit
    return !OUTER.has(keyword) || !left.some(other => other !== finding && isInside(other, finding))
  })
}

function isInside(inner: OutputUnit, outer: OutputUnit): boolean {
  // Of a `false` schema the validator gives the value's place instead of the schema's.
  if (inner.keyword === 'false') return inner.instanceLocation.startsWith(`${outer.instanceLocation}/`)
  // What did not fit is the branch, though the finding is put down to the condition.
  if (outer.keyword === 'if') {
    const around = outer.keywordLocation.slice(0, -'if'.length)
    return ['then/', 'else/'].some(branch => inner.keywordLocation.startsWith(around + branch))
  }
  return inner.keywordLocation.startsWith(`${outer.keywordLocation}/`)
}

function branchOf(inner: OutputUnit, choice: OutputUnit): string | undefined {
  return inner.keywordLocation.slice(choice.keywordLocation.length + 1).split('/')[0]
}

function depthOf({ instanceLocation }: OutputUnit): number {
  return instanceLocation.split('/').length
}

function sentence({ keyword, error }: OutputUnit, at: string, found: unknown): string {
  if (keyword === 'type') {
    const names = error.replace(/^.*Expected /s, '').matchAll(/"([^"]*)"/g)
    const expected = [...new Set(Array.from(names, ([, name = '']) => article(name)))]
    return `${at} must be ${expected.join(' or ')}, not ${article(typeName(found))}`
  }
  if (keyword === 'false') return `${at} must not be there`
  const [, values] = /^Instance does not match (?:any of )?(.*)\.$/s.exec(error) ?? []
  if (values !== undefined && keyword === 'enum') return `${at} must be one of ${values.slice(1, -1)}`
  if (values !== undefined && keyword === 'const') return `${at} must be ${values}`
  // "5 is less than 10": whoever is told knows the value.
  return `${at}: ${error.replace(/^(?:Instance|String|Array|-?[\d.e+-]+(?= is )) /, '').replace(/\.$/, '')}`
}

/** The place as a path, numbers for the indices of arrays, and what stands there. */
function locate(instanceLocation: string, value: unknown): { path: (string | number)[]; found: unknown } {
  const path: (string | number)[] = []
  let found = value
  for (const step of instanceLocation.split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    path.push(Array.isArray(found) ? Number(key) : key)
    found = typeof found === 'object' && found !== null ? (found as Record<string, unknown>)[key] : undefined
  }
  return { path, found }
}

function typeName(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
}

function article(name: string): string {
  if (name === 'null') return name
  return /^[aeiou]/.test(name) ? `an ${name}` : `a ${name}`
}
