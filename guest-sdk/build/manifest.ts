import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readObject, readOptionalArray, readOptionalString, readString } from '../read-json.ts'
import { BuildError } from './build-error.ts'

/** Of extension.json, what building needs. The host checks all of it when it installs the extension. */
export interface BuildManifest {
  id: string
  name: string
  /** e.g. `airlock:llm@0.1.0`. */
  contract: string
  /** Where the component goes, relative to the folder. */
  component: string
  /** Which of the contract's worlds it is built for. */
  world: World
  /** Ids of its providers, or of its tools. */
  declared: string[]
  /** Relative to the folder. */
  icons: string[]
}

/** What an extension brings: one component is of one world, so it is providers or tools. */
export type World = 'provider' | 'tools'

/** @throws {BuildError} naming the file and the key. */
export async function readManifest(folder: string): Promise<BuildManifest> {
  const file = join(folder, 'extension.json')
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (cause) {
    throw new BuildError(
      `Cannot build ${folder}: it has no readable extension.json; \`airlock-sdk new <folder>\` makes a new extension`,
      { cause },
    )
  }
  try {
    const manifest = readObject(JSON.parse(text), 'the manifest')
    const id = readString(manifest.id, 'id')
    if (!/^[a-z][a-z0-9-]{0,63}$/.test(id)) {
      throw new TypeError(
        `id must be lower-case letters, digits and "-", beginning with a letter, at most 64: it is "${id}"`,
      )
    }
    const component = readString(manifest.component, 'component')
    if (!/^[\w.-]+(\/[\w.-]+)*\.wasm$/.test(component) || component.split('/').includes('..')) {
      throw new TypeError(
        `component must be a relative path that ends in .wasm, e.g. "dist/${id}.wasm": it is "${component}"`,
      )
    }
    const providers = (readOptionalArray(manifest.providers, 'providers') ?? []).map((provider, index) => {
      const { id, icon } = readObject(provider, `providers[${index}]`)
      return {
        id: readString(id, `providers[${index}].id`),
        icon: readOptionalString(icon, `providers[${index}].icon`),
      }
    })
    const tools = (readOptionalArray(manifest.tools, 'tools') ?? []).map((tool, index) =>
      readString(readObject(tool, `tools[${index}]`).id, `tools[${index}].id`),
    )
    if (providers.length > 0 === tools.length > 0) {
      throw new TypeError(
        providers.length > 0
          ? 'it names providers and tools: an extension brings one or the other, so make two of it'
          : 'it names neither providers nor tools: name what the extension brings',
      )
    }
    const world = tools.length > 0 ? 'tools' : 'provider'
    return {
      id,
      name: readString(manifest.name, 'name'),
      contract: readString(manifest.contract, 'contract'),
      component,
      world,
      declared: world === 'tools' ? tools : providers.map(({ id }) => id),
      icons: providers.flatMap(({ icon }) => icon ?? []),
    }
  } catch (cause) {
    throw new BuildError(`Cannot use ${file}: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    })
  }
}
