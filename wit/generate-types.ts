// Writes the TypeScript of the contract for both sides: `npm run generate`. CI runs it with --check and
// fails where the files in the repository differ from what the contract says.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { filesystem } from '@bytecodealliance/preview2-shim'

const WORLDS = ['provider-extension', 'tool-extension']
const witFolder = import.meta.dirname
const root = dirname(witFolder)

// The generator is itself a component that reads the WIT folder, and the shim opens nothing by default.
filesystem._setPreopens({ '/': '/' } as never)
const { generateGuestTypes, generateHostTypes } = await import('@bytecodealliance/jco-transpile')

const sides = [
  { folder: join(root, 'host/contract/generated'), generate: generateHostTypes },
  { folder: join(root, 'guest-sdk/contract/generated'), generate: generateGuestTypes },
]

const check = process.argv.includes('--check')
const stale: string[] = []
for (const { folder, generate } of sides) {
  if (!check) await rm(folder, { recursive: true, force: true })
  const files = new Map<string, Uint8Array>()
  for (const worldName of WORLDS) {
    for (const [path, bytes] of Object.entries(await generate(witFolder, { worldName })))
      files.set(path, bytes)
  }
  for (const [path, bytes] of files) {
    const file = join(folder, path)
    if (check) {
      const present = await readFile(file).catch(() => null)
      if (!present?.equals(bytes)) stale.push(file)
    } else {
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, bytes)
    }
  }
}
if (stale.length > 0) {
  console.error(`The contract and its generated types differ; run \`npm run generate\`:\n${stale.join('\n')}`)
  process.exitCode = 1
}
