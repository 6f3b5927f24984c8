import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'
import { repoRoot } from './repo-root.ts'

/** Runs once before all tests: builds the extensions whose component is older than what it is made of. */
export default function buildStaleExtensions(): void {
  const sdkChanged = newestChange(join(repoRoot, 'guest-sdk'))
  const extensions = join(repoRoot, 'extensions')
  for (const id of readdirSync(extensions)) {
    const folder = join(extensions, id)
    if (!existsSync(join(folder, 'extension.json'))) continue
    const component = join(folder, 'dist', `${id}.wasm`)
    const builtAt = existsSync(component) ? statSync(component).mtimeMs : 0
    if (builtAt > Math.max(sdkChanged, newestChange(folder))) continue
    build(folder)
  }
}

function build(folder: string): void {
  const command = join(repoRoot, 'guest-sdk/bin/airlock-sdk.js')
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, 'build', folder], {
    encoding: 'utf8',
    cwd: repoRoot,
  })
  if (status === 0) return
  const message = `Cannot build ${folder} for the tests:\n${stdout}${stderr}`
  if (process.env.CI) throw new Error(message)
  // Tests that need no component can run while one is being mended. The old bytes would prove nothing.
  rmSync(join(folder, 'dist'), { recursive: true, force: true })
  process.stderr.write(`${message}\n`)
}

function newestChange(folder: string): number {
  let newest = 0
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = join(entry.parentPath, entry.name)
    if (/^(node_modules|dist)$/m.test(file.slice(folder.length).split(sep).join('\n'))) continue
    newest = Math.max(newest, statSync(file).mtimeMs)
  }
  return newest
}
