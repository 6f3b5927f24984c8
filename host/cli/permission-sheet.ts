import type { PermissionChange, Permissions } from '../policy/permissions.ts'
import type { Piece } from './terminal/output.ts'
import { sanitizeLabel } from './terminal/sanitize.ts'
import { pad, wrap } from './terminal/table.ts'

/** A line of facts: what it is about, and one or more things said of it. */
interface Fact {
  label: string
  values: readonly string[]
  /** Worth a second look before agreeing. */
  isLoud?: boolean
}

export interface SheetSubject {
  id: string
  name: string
  version: string
  /** The version that this one takes the place of. */
  replaces?: string
  /** Where it comes from, as the user said it. */
  source?: string
  componentBytes?: number
  digests?: { manifest: string; component: string }
}

const LABEL_WIDTH = 12
/** Narrower than this, labels stand above what they are about. */
const NARROW = 56

/** What an extension may do, to be read by someone who decides on it. Never wider than `width` columns. */
export function formatSheet(subject: SheetSubject, permissions: Permissions, width: number): Piece[][] {
  return [
    ...formatTitle(subject, width),
    ...permissionFacts(permissions).flatMap(fact => formatFact(fact, width)),
    ...packageFacts(subject).flatMap(fact => formatFact(fact, width)),
  ]
}

/** Only what is asked beyond what was agreed to before. */
export function formatChanges(
  subject: SheetSubject,
  changes: readonly PermissionChange[],
  width: number,
): Piece[][] {
  const facts = changes.map(({ kind, asked, granted }): Fact => {
    const before = granted === undefined ? '' : ` (so far: ${granted})`
    return { label: LABELS[kind], values: [`+ ${describeValue(kind, asked)}${before}`], isLoud: true }
  })
  const none: Fact = { label: 'Permissions', values: ['as agreed before; its files changed'] }
  return [
    ...formatTitle(subject, width),
    ...(facts.length > 0 ? facts : [none]).flatMap(fact => formatFact(fact, width)),
    ...packageFacts(subject).flatMap(fact => formatFact(fact, width)),
  ]
}

const LABELS: Record<keyof Permissions, string> = {
  network: 'Network',
  env: 'Variables',
  plainEnv: 'Reads',
  credentials: 'Credentials',
  bodyFields: 'Body fields',
  browser: 'Browser',
  tools: 'Tools',
  memoryMiB: 'Memory',
}

function permissionFacts(permissions: Permissions): Fact[] {
  const { network, env, plainEnv, credentials, bodyFields, browser, tools, memoryMiB } = permissions
  const list = (kind: keyof Permissions, values: readonly string[]) =>
    values.map(value => describeValue(kind, value))
  return [
    {
      label: LABELS.network,
      values: network.length > 0 ? list('network', network) : ['only addresses that you set yourself'],
    },
    ...(env.length > 0 ? [{ label: LABELS.env, values: list('env', env) }] : []),
    ...(plainEnv.length > 0
      ? [{ label: LABELS.plainEnv, values: list('plainEnv', plainEnv), isLoud: true }]
      : []),
    {
      label: LABELS.credentials,
      values: [describeValue('credentials', credentials)],
      isLoud: credentials === 'read',
    },
    ...(bodyFields.length > 0 ? [{ label: LABELS.bodyFields, values: list('bodyFields', bodyFields) }] : []),
    ...(browser.length > 0 ? [{ label: LABELS.browser, values: list('browser', browser) }] : []),
    ...(tools.length > 0 ? [{ label: LABELS.tools, values: list('tools', tools) }] : []),
    { label: LABELS.memoryMiB, values: [describeValue('memoryMiB', `${memoryMiB}`)] },
  ]
}

function describeValue(kind: keyof Permissions, value: string): string {
  const shown = sanitizeLabel(value)
  switch (kind) {
    case 'network':
      return shown.includes('*') ? `${shown} (every name below)` : shown
    case 'env':
      return `${shown} (used, never seen)`
    case 'plainEnv':
      return `${shown} (its value is shown to the extension)`
    case 'credentials':
      return value === 'read'
        ? 'READ: the extension sees your key itself and could keep it or pass it on'
        : 'used for you, never seen by the extension'
    case 'bodyFields':
      return `${shown} (a secret may be sent in it)`
    case 'browser':
      return `may open ${shown}`
    case 'tools':
      return `may call ${shown}`
    case 'memoryMiB':
      return `${shown} MiB`
    default:
      return kind satisfies never
  }
}

function packageFacts({ componentBytes, digests }: SheetSubject): Fact[] {
  return [
    ...(componentBytes === undefined
      ? []
      : [{ label: 'Size', values: [`${(componentBytes / 1024 / 1024).toFixed(1)} MiB`] }]),
    ...(digests === undefined
      ? []
      : [
          { label: 'SHA-256', values: [digests.component] },
          { label: '  manifest', values: [digests.manifest] },
        ]),
  ]
}

function formatTitle({ id, name, version, replaces, source }: SheetSubject, width: number): Piece[][] {
  const shownName = sanitizeLabel(name)
  const before = replaces === undefined || replaces === version ? '' : `, replaces ${sanitizeLabel(replaces)}`
  const title = `${sanitizeLabel(id)} ${sanitizeLabel(version)}${shownName === id ? '' : ` (${shownName})`}${before}`
  const lines: Piece[][] = wrap(title, width).map(text => [{ text, style: 'bold' }])
  if (source !== undefined)
    lines.push(
      ...wrap(`from ${sanitizeLabel(source)}`, width).map((text): Piece[] => [{ text, style: 'dim' }]),
    )
  return lines
}

function formatFact({ label, values, isLoud = false }: Fact, width: number): Piece[][] {
  const isNarrow = width < NARROW
  const indent = isNarrow ? 4 : LABEL_WIDTH + 2
  const lines = values.flatMap(value => wrap(value, width - indent))
  const paint = (text: string): Piece => (isLoud ? { text, style: 'yellow' } : text)
  const head: Piece = { text: `  ${isNarrow ? label : pad(label, LABEL_WIDTH)}`, style: 'dim' }
  if (isNarrow) return [[head], ...lines.map((text): Piece[] => ['    ', paint(text)])]
  return lines.map((text, index): Piece[] => [index === 0 ? head : ' '.repeat(indent), paint(text)])
}
