// Writes what follows from the contract and from the manifest's schema: `npm run generate`. CI runs it with --check
// and fails where the files in the repository differ from what it would write.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { filesystem } from '@bytecodealliance/preview2-shim'
import { manifestSchemaText } from '../host/extension/manifest-schema.ts'

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

const files = new Map<string, Uint8Array>([
  [join(root, 'host/extension/extension.schema.json'), Buffer.from(manifestSchemaText())],
])
for (const { folder, generate } of sides) {
  for (const worldName of WORLDS) {
    for (const [path, bytes] of Object.entries(await generate(witFolder, { worldName }))) {
      files.set(join(folder, path), bytes)
    }
  }
}

if (process.argv.includes('--check')) await check()
else await write()

async function write() {
  for (const { folder } of sides) await rm(folder, { recursive: true, force: true })
  for (const [file, bytes] of files) {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, bytes)
  }
}

async function check() {
  const stale: string[] = []
  for (const [file, bytes] of files) {
    const present = await readFile(file).catch(() => null)
    if (!present?.equals(bytes)) stale.push(file)
  }
  if (stale.length === 0) return
  console.error(
    `These files differ from what they are made of; run \`npm run generate\`:\n${stale.join('\n')}`,
  )
  process.exitCode = 1
}
