import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { repoRoot } from '../support/repo-root.ts'

const tables = readFileSync(join(repoRoot, 'SYSTEMS.md'), 'utf8')
const sections = tables.split(/^## /m).slice(1)

const testFiles = readdirSync(join(repoRoot, 'test'), { recursive: true, withFileTypes: true })
  .filter(entry => entry.isFile() && entry.name.endsWith('.ts'))
  .map(entry => join(entry.parentPath, entry.name))

/** What a row names: a file, and words of a test in it. */
function proofs(row: string): { file: string; words: string }[] {
  return [...row.matchAll(/`([\w.-]+\.ts): ([^`]*)`/g)].map(([, file = '', words = '']) => ({ file, words }))
}

test.each(sections.map(section => [section.split('\n')[0]!, section]))(
  '%s: every row names a test that is there',
  (_, section) => {
    const rows = section.split('\n').filter(line => line.startsWith('| ') && !line.includes('Proven by'))
    expect(rows.length).toBeGreaterThan(10)
    for (const row of rows) {
      const named = proofs(row)
      expect(named, row).not.toEqual([])
      for (const { file, words } of named) {
        const texts = testFiles
          .filter(path => basename(path) === file)
          .map(path => readFileSync(path, 'utf8'))
        expect(
          texts.some(text => text.includes(words)),
          `${file}: ${words}`,
        ).toBe(true)
      }
    }
  },
)
