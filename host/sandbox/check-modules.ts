import { InvalidComponentError } from '../errors.ts'
import { countDefined, hasGarbageCollectedTypes } from './module-sections.ts'

// The transpiler writes the names of a core module's imports and exports into JavaScript strings as they are: a quote
// in one would end the string, and the rest would run with all that the worker may do. Honest names are such as
// `cabi_post_airlock:llm/provider@0.1.0#models`, `[resource-drop]completion`, `utf8-to-utf8 (mem1 => mem0)`.
const NAME = /^(?!.*\*\/)[ !#-&(-[\]-_a-~]{0,1000}$/
// As the key of an object literal it sets the prototype and no property.
const SETS_PROTOTYPE = '__proto__'

// A component has one memory, one composed with a stub of WASI (by componentize-qjs) three. Each has the whole limit.
const MAX_MEMORIES = 4
// The most seen, in QuickJS with that stub: 13 instances, 3 tables.
const MAX_CORE_INSTANCES = 100
const MAX_TABLES = 16

/**
 * Refuses core modules that the transpiler or the limits cannot be trusted with. To be called before anything of
 * `files` is run.
 * @throws {InvalidComponentError}
 */
export function checkModules(files: Record<string, Uint8Array>, entry: string): void {
  const modules = Object.entries(files).filter(([name]) => name.endsWith('.wasm'))
  for (const [, bytes] of modules) checkNames(bytes)
  // Only now is the generated text what the transpiler meant it to be.
  const script = new TextDecoder().decode(files[entry])
  const fileOf = new Map(
    [...script.matchAll(/^ *const (module\d+) = getCoreModule\('([^']+)'\)/gm)].map(([, id, name]) => [
      id,
      name,
    ]),
  )
  const instances = [...script.matchAll(/instantiateCore\(yield (module\d+)/g)].map(([, id]) =>
    fileOf.get(id),
  )
  if (instances.length > MAX_CORE_INSTANCES)
    throw refused(
      `it instantiates ${instances.length} core modules, at most ${MAX_CORE_INSTANCES} are allowed`,
    )
  let memories = 0
  let tables = 0
  for (const [name, bytes] of modules) {
    const times = Math.max(1, instances.filter(instance => instance === name).length)
    const defined = countDefined(bytes)
    memories += defined.memories * times
    tables += defined.tables * times
  }
  if (memories > MAX_MEMORIES)
    throw refused(`it has ${memories} memories, at most ${MAX_MEMORIES} are allowed`)
  if (tables > MAX_TABLES) throw refused(`it has ${tables} tables, at most ${MAX_TABLES} are allowed`)
}

function checkNames(bytes: Uint8Array): void {
  if (hasGarbageCollectedTypes(bytes))
    throw refused('it uses garbage-collected types, whose memory no limit bounds')
  let module: WebAssembly.Module
  try {
    module = new WebAssembly.Module(new Uint8Array(bytes))
  } catch (cause) {
    throw new InvalidComponentError(`Cannot load this component: ${String(cause).slice(0, 300)}`, { cause })
  }
  const names = [
    ...WebAssembly.Module.imports(module).flatMap(({ module: from, name }) => [from, name]),
    ...WebAssembly.Module.exports(module).map(({ name }) => name),
  ]
  for (const name of names) {
    if (NAME.test(name) && name !== SETS_PROTOTYPE) continue
    throw refused(
      `a core module has the name ${JSON.stringify(name.slice(0, 60))}, which no toolchain writes`,
    )
  }
}

function refused(why: string): InvalidComponentError {
  return new InvalidComponentError(`Cannot load this component: ${why}`)
}
