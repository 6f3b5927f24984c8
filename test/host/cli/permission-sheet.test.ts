import stringWidth from 'fast-string-width'
import { describe, expect, it } from 'vitest'
import { formatChanges, formatSheet } from '../../../host/cli/permission-sheet.ts'
import type { Piece } from '../../../host/cli/terminal/output.ts'
import { noPermissions, type Permissions } from '../../../host/policy/permissions.ts'

const plain = (lines: Piece[][]): string =>
  lines.map(line => line.map(piece => (typeof piece === 'string' ? piece : piece.text)).join('')).join('\n')

const subject = {
  id: 'acme',
  name: 'Acme',
  version: '1.2.0',
  source: './extensions/acme',
  componentBytes: 1_258_291,
  digests: { manifest: 'ab'.repeat(32), component: 'cd'.repeat(32) },
}
const asked: Permissions = {
  ...noPermissions,
  network: ['https://api.acme.example', 'https://*.cdn.acme.example'],
  env: ['ACME_API_KEY'],
  browser: ['https://login.acme.example'],
  memoryMiB: 64,
}

describe('formatSheet', () => {
  it('reads well at 80 columns', () => {
    expect(plain(formatSheet(subject, asked, 80))).toBe(
      [
        'acme 1.2.0 (Acme)',
        'from ./extensions/acme',
        '  Network     https://api.acme.example',
        '              https://*.cdn.acme.example (every name below)',
        '  Variables   ACME_API_KEY (used, never seen)',
        '  Credentials used for you, never seen by the extension',
        '  Browser     may open https://login.acme.example',
        '  Memory      64 MiB',
        '  Size        1.2 MiB',
        `  SHA-256     ${'cd'.repeat(32)}`,
        `    manifest  ${'ab'.repeat(32)}`,
      ].join('\n'),
    )
  })

  it('reads well at 40 columns', () => {
    expect(plain(formatSheet(subject, asked, 40))).toContain(
      [
        '  Network',
        '    https://api.acme.example',
        '    https://*.cdn.acme.example (every',
        '    name below)',
        '  Variables',
        '    ACME_API_KEY (used, never seen)',
      ].join('\n'),
    )
  })

  it.each([24, 40, 60, 80, 200])('stays within %d columns and loses nothing', width => {
    const hostile = { ...subject, name: 'N'.repeat(300), source: '/very/long'.repeat(20) }
    const origin = `https://${'a'.repeat(60)}.example`
    const text = plain(formatSheet(hostile, { ...asked, network: [origin] }, width))
    for (const line of text.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(width)
    expect(text.replace(/\s/g, '')).toContain(origin)
    expect(text.replace(/\s/g, '')).toContain('cd'.repeat(32))
  })

  it('is loud about reading', () => {
    const lines = formatSheet(subject, { ...asked, credentials: 'read', plainEnv: ['HOME'] }, 80)
    const loud = lines.flat().filter(piece => typeof piece !== 'string' && piece.style === 'yellow')
    expect(plain([loud])).toContain('READ: the extension sees your key itself')
    expect(plain([loud])).toContain('HOME (its value is shown to the extension)')
  })

  it('cannot be forged by a name that moves the cursor', () => {
    const text = plain(formatSheet({ ...subject, name: 'x\x1b[A\x1b[2K\n  Network      none' }, asked, 80))
    expect(text).not.toMatch(/\x1b/)
    expect(text.split('\n').filter(line => line.startsWith('  Network'))).toHaveLength(1)
  })
})

describe('formatChanges', () => {
  it('shows what is new, and what it was', () => {
    const text = plain(
      formatChanges(
        subject,
        [
          { kind: 'network', asked: 'https://new.example', permission: 'network:https://new.example' },
          { kind: 'memoryMiB', asked: '128', granted: '64', permission: 'memoryMiB:128' },
        ],
        80,
      ),
    )
    expect(text).toContain('  Network     + https://new.example')
    expect(text).toContain('  Memory      + 128 MiB (so far: 64)')
    expect(text).not.toContain('Variables')
  })

  it('says so where only files changed', () => {
    expect(plain(formatChanges(subject, [], 80))).toContain('as agreed before; its files changed')
  })
})
