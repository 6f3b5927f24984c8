import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { repoRoot } from '../../support/repo-root.ts'

describe('a Node that is too old', () => {
  test.each(['host/bin/airlock.js', 'guest-sdk/bin/airlock-sdk.js'])(
    '%s says so in one sentence, exit 1',
    async bin => {
      const folder = await mkdtemp(join(tmpdir(), 'airlock-old-node-'))
      try {
        // The entry files ask this and nothing else, so that any Node can run them this far.
        const pretend = join(folder, 'pretend.mjs')
        await writeFile(
          pretend,
          `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })`,
        )
        const { code, stdout, stderr } = await run([
          '--import',
          pathToFileURL(pretend).href,
          join(repoRoot, bin),
        ])
        expect(stderr).toMatch(/^[^\n]+ needs Node\.js 24 or newer; this is 20\.20\.2\.\n$/)
        expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      } finally {
        await rm(folder, { recursive: true })
      }
    },
  )
})

function run(args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise(resolve => {
    const child = execFile(process.execPath, args, (_, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    )
  })
}
