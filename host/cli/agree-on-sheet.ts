import type { PermissionSheet } from '../extension/permission-sheet.ts'
import type { Cli } from './cli.ts'
import { NotAgreedError } from './cli-errors.ts'
import { formatChanges, formatSheet } from './permission-sheet.ts'
import { confirm } from './terminal/confirm.ts'
import { sanitizeLabel } from './terminal/sanitize.ts'

/**
 * Shows on standard error what an extension asks for, all of it or only what is new, and has it agreed to.
 * @throws {NotAgreedError} where nobody can be asked and `--yes` was not given.
 */
export async function agreeOnSheet(cli: Cli, sheet: PermissionSheet, isAgreed: boolean): Promise<boolean> {
  const { output } = cli
  const { present, permissions, changes } = sheet
  const subject = { ...sheet, ...(present ? { replaces: present.version } : {}) }
  const lines = present
    ? formatChanges(subject, changes, output.width)
    : formatSheet(subject, permissions, output.width)
  for (const line of lines) output.note(...line)
  if (isAgreed) return true
  const id = sanitizeLabel(sheet.id)
  if (!cli.canAsk)
    throw new NotAgreedError(
      `Not installed: "${id}" needs your word for what stands above, and this is no terminal: add --yes to agree`,
    )
  return confirm(cli, present ? `Agree to the change of ${id}?` : `Install ${id} and allow this?`)
}
