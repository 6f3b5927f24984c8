import { InvalidOptionError } from '../errors.ts'
import type { ToolDescription } from './tool.ts'

/** `ask` each time, `allow` without asking, or `deny`. */
export type ToolRule = 'ask' | 'allow' | 'deny'

/**
 * What may run. Keys, the most exact first: `<source>/<id>`, as in `mcp:files/read`; `<id>`; `<source>`, as in
 * `extension:acme`. No rule: asks, unless the tool is the program's own and `readOnly`.
 */
export type ToolPolicy =
  | Readonly<Record<string, ToolRule>>
  | ((tool: ToolDescription) => ToolRule | undefined)

const STRICTNESS: readonly ToolRule[] = ['allow', 'ask', 'deny']

/**
 * The rule for a tool. Where several parties have one, the strictest holds: a program cannot allow what its user
 * denies, nor the other way round.
 * @throws {InvalidOptionError} a rule is none of `ask`, `allow` and `deny`
 */
export function ruleFor(
  tool: ToolDescription,
  policies: readonly (ToolPolicy | undefined)[],
): ToolRule | undefined {
  let strictest: ToolRule | undefined
  for (const policy of policies) {
    const rule = typeof policy === 'function' ? policy(tool) : policy && look(policy, tool)
    if (rule === undefined) continue
    checkRule(rule, tool.id)
    if (strictest === undefined || STRICTNESS.indexOf(rule) > STRICTNESS.indexOf(strictest)) strictest = rule
  }
  return strictest
}

/** @throws {InvalidOptionError} the policy is neither rules nor a function */
export function checkPolicy(policy: ToolPolicy | undefined): void {
  if (policy === undefined || typeof policy === 'function') return
  if (typeof policy !== 'object' || policy === null)
    throw new InvalidOptionError(
      `Cannot use this toolPolicy: it must be an object of rules or a function, not ${String(policy)}`,
    )
  for (const [key, rule] of Object.entries(policy)) checkRule(rule, key)
}

/** The key of the rule for this tool of this source alone. */
export function exactKey({ source, id }: Pick<ToolDescription, 'source' | 'id'>): string {
  return source === 'app' ? id : `${source}/${id}`
}

function look(policy: Readonly<Record<string, ToolRule>>, { source, id }: ToolDescription) {
  const key = [`${source}/${id}`, id, source].find(name => Object.hasOwn(policy, name))
  return key === undefined ? undefined : policy[key]
}

function checkRule(rule: unknown, key: string): void {
  if (STRICTNESS.includes(rule as ToolRule)) return
  throw new InvalidOptionError(
    `Cannot use the tool policy of "${key}": it must be "ask", "allow" or "deny": it is ${JSON.stringify(rule)}`,
  )
}
