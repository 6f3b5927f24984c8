import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type TestContext, test } from 'vitest'

type DefineTest = (name: string, run: (context: TestContext) => unknown, timeoutMs?: number) => void

/**
 * `test`, for machines that have these programs: `needs('tmux')('chat draws its prompt', ...)`.
 * Elsewhere the test is skipped by name with the reason. Under `CI` it fails instead: a check that
 * nobody runs proves nothing.
 */
export function needs(...programs: readonly string[]): DefineTest {
  const absent = programs.filter(program => !isInstalled(program))
  if (absent.length === 0) return test
  const reason = `${absent.join(' and ')} not installed on this machine`
  return name =>
    test(name, ({ skip }) => {
      if (process.env.CI) throw new Error(`Cannot skip this test under CI: ${reason}`)
      skip(reason)
    })
}

function isInstalled(program: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some(folder => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
