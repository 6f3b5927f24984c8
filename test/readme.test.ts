import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createExtension } from '../guest-sdk/build/commands/new.ts'
import { repoRoot } from './support/repo-root.ts'

const run = promisify(execFile)
const tsc = join(repoRoot, 'node_modules/typescript/bin/tsc')
const GUEST_SDK = "'@airlock/guest-sdk'"

// Inside the repository, as in a clone that somebody tries things in: `@airlock/host` is found from there.
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(repoRoot, 'node_modules/.readme-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function snippets(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8')
  return [...text.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code = '']) => code)
}

/** What the compiler says, empty where it is content. */
async function complaints(project: string): Promise<string> {
  return run(process.execPath, [tsc, '-p', project], { cwd: folder }).then(
    ({ stdout }) => stdout,
    ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
  )
}

describe('the code of README.md fits its types as it stands', () => {
  test('in an app, of which each snippet goes on from the one before', async () => {
    const app = (await snippets(join(repoRoot, 'README.md')))
      .filter(code => !code.includes(GUEST_SDK))
      .join('\n')
    expect(app).toContain('createAirlock')
    await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
    await writeFile(join(folder, 'app.ts'), app)
    const compilerOptions = {
      target: 'es2025',
      lib: ['es2025', 'esnext.disposable'],
      module: 'nodenext',
      types: ['node'],
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      allowImportingTsExtensions: true,
    }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['app.ts'] }))
    expect(await complaints(folder)).toBe('')
  })

  test('in an extension, and so does that of the README that a new one has', async () => {
    const own = (await snippets(join(repoRoot, 'README.md'))).filter(code => code.includes(GUEST_SDK))
    expect(own.map(code => /\bdefine(Provider|Tools)\(/.exec(code)?.[1])).toEqual(['Provider', 'Tools'])
    const [provider = '', tools = ''] = own
    const acme = join(folder, 'acme')
    await createExtension(acme, 'provider')
    const [functions = ''] = await snippets(join(acme, 'README.md'))
    const made = await readFile(join(acme, 'provider.ts'), 'utf8')
    const replaced = made.replace(/ {2}\/\/ Answers by itself.*\n {2}\*respond.*?\n {2}},\n/s, functions)
    expect(replaced).not.toContain('respond')
    await writeFile(join(acme, 'provider.ts'), provider)
    await writeFile(join(acme, 'tools.ts'), tools)
    await writeFile(join(acme, 'of-its-own-readme.ts'), replaced)
    expect(await complaints(acme)).toBe('')
  })
})
