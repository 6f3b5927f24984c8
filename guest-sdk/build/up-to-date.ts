import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, relative, resolve } from 'node:path'
import { isObject } from '../read-json.ts'
import { witFolder } from './componentize.ts'

/** What a component was built from: SHA-256 of each input, of the tools' versions and of the result. */
interface BuildRecord {
  tools: string
  component: string
  /** Paths relative to the record. */
  inputs: Record<string, string>
}

/** The record lies beside the component. */
export function recordFileOf(componentFile: string): string {
  return componentFile.replace(/\.wasm$/, '.build.json')
}

/** Whether building again would give the same component. */
export async function isUpToDate(recordFile: string, componentFile: string): Promise<boolean> {
  const record = await readRecord(recordFile)
  if (record === undefined || record.tools !== toolVersions()) return false
  const folder = dirname(recordFile)
  const checks = Object.entries(record.inputs).map(
    async ([file, digest]) => (await digestOf(resolve(folder, file))) === digest,
  )
  checks.push(digestOf(componentFile).then(digest => digest === record.component))
  checks.push(digestOf(`${componentFile}.map`).then(digest => digest !== undefined))
  return (await Promise.all(checks)).every(Boolean)
}

export async function recordBuild(
  recordFile: string,
  componentFile: string,
  inputs: string[],
): Promise<void> {
  const folder = dirname(recordFile)
  const record: BuildRecord = {
    tools: toolVersions(),
    component: (await digestOf(componentFile)) ?? '',
    inputs: {},
  }
  const contract = ['worlds', 'provider', 'llm-provider', 'http-client', 'system', 'tools']
  const builder = ['bundle', 'guest-globals', 'componentize', 'build-extension']
  const files = [
    ...inputs,
    ...contract.map(name => resolve(witFolder, `${name}.wit`)),
    ...builder.map(name => resolve(import.meta.dirname, `${name}.ts`)),
  ]
  for (const file of files) {
    record.inputs[relative(folder, file).replaceAll('\\', '/')] = (await digestOf(file)) ?? ''
  }
  await writeFile(recordFile, `${JSON.stringify(record, null, 2)}\n`)
}

async function readRecord(file: string): Promise<BuildRecord | undefined> {
  try {
    const record: unknown = JSON.parse(await readFile(file, 'utf8'))
    return isObject(record) && isObject(record.inputs) ? (record as unknown as BuildRecord) : undefined
  } catch {
    // Missing or broken: building anew is always right.
    return undefined
  }
}

function toolVersions(): string {
  const require = createRequire(import.meta.url)
  return ['rolldown', 'componentize-qjs']
    .map(name => {
      const manifest: unknown = require(`${name}/package.json`)
      return `${name}@${isObject(manifest) ? String(manifest.version) : '?'}`
    })
    .join(' ')
}

async function digestOf(file: string): Promise<string | undefined> {
  try {
    return createHash('sha256')
      .update(await readFile(file))
      .digest('hex')
  } catch {
    return undefined
  }
}
