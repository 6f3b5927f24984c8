import { componentWit } from '@bytecodealliance/jco-transpile/wasm-tools'
import { BuildError } from './build-error.ts'
import type { World } from './manifest.ts'

const [PACKAGE, VERSION] = ['airlock:llm', '0.1.0']
const OFFERED: Record<World, readonly string[]> = {
  provider: ['system', 'http-client', 'llm-provider'],
  // `tools` for the types in it: what a tool exports and what it may call have them in common.
  tools: ['system', 'http-client', 'tool-host', 'tools'],
}

// Bytes 4 to 7 of the binary format: version, then layer, each little-endian.
const [COMPONENT_VERSION, COMPONENT_LAYER] = [0x0d, 0x01]

export interface ComponentSurface {
  imports: string[]
  exports: string[]
}

/** What a component wants of its host and gives it. @throws {BuildError} where the bytes are not a component. */
export async function readSurface(component: Uint8Array): Promise<ComponentSurface> {
  // A core module begins like a component, but for its layer; it would be read as one without a world.
  if (component[4] !== COMPONENT_VERSION || component[6] !== COMPONENT_LAYER) {
    throw new BuildError('The file is not a WebAssembly component')
  }
  let wit: string
  try {
    wit = await componentWit(component)
  } catch (cause) {
    throw new BuildError('The file is not a WebAssembly component', { cause })
  }
  const world = /^world [\w-]+ \{$([\s\S]*?)^\}$/m.exec(wit)?.[1] ?? ''
  const names = (kind: 'import' | 'export') =>
    [...world.matchAll(new RegExp(`^ {2}${kind} ([^;\\s]+?)(?:;|: )`, 'gm'))].map(([, name]) => name!)
  return { imports: names('import'), exports: names('export') }
}

/** @throws {BuildError} where the component wants what no host offers, or does not export what its world has. */
export function checkSurface({ imports, exports }: ComponentSurface, world: World): void {
  const full = (name: string) => `${PACKAGE}/${name}@${VERSION}`
  const offered = OFFERED[world].map(full)
  const required = full(world)
  const foreign = imports.filter(name => !offered.includes(name))
  if (foreign.length > 0) {
    throw new BuildError(`The component imports what no host offers: ${foreign.join(', ')}`)
  }
  if (!exports.includes(required)) {
    throw new BuildError(
      `The component does not export ${required}; it exports ${exports.join(', ') || 'nothing'}`,
    )
  }
}
