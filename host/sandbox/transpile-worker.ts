// The entry of the transpiling thread: one component in, one answer out.
import { parentPort, workerData } from 'node:worker_threads'
import { transpileBytes } from '@bytecodealliance/jco-transpile'
import { InvalidComponentError } from '../errors.ts'
import { checkModules } from './check-modules.ts'
import { BLOCKING_IMPORTS } from './imports.ts'
import { limitMemory } from './limit-memory.ts'
import type { TranspileAnswer, TranspileResult } from './transpile.ts'
import { WASI_OFFERED } from './wasi.ts'

const CONTRACT = 'airlock:llm'
const CONTRACT_VERSION = '0.1.0'
const ENTRY = 'component'

const OFFERED = {
  provider: ['airlock:llm/system', 'airlock:llm/http-client', 'airlock:llm/llm-provider'],
  tools: ['airlock:llm/system', 'airlock:llm/http-client', 'airlock:llm/tool-host', 'airlock:llm/tools'],
}

const { component, memoryMiB, world } = workerData as {
  component: Uint8Array
  memoryMiB: number
  world: keyof typeof OFFERED
}

async function transpile(): Promise<TranspileResult> {
  checkPreamble(component)
  const { files, imports, exports } = await transpileBytes(component, {
    name: ENTRY,
    instantiation: 'async',
    asyncMode: 'jspi',
    asyncImports: BLOCKING_IMPORTS,
    wasiShim: false,
    emitTypescriptDeclarations: false,
  }).catch(error => {
    throw new InvalidComponentError(`Cannot read this component: ${firstLine(error)}`)
  })
  const unwanted = imports.filter(name => ![...OFFERED[world], ...WASI_OFFERED].includes(name))
  if (unwanted.length > 0) {
    throw new InvalidComponentError(
      `Cannot load this component: it imports what is not offered here: ${unwanted.join(', ')}`,
      { imports: unwanted },
    )
  }
  checkExports(exports.map(([name]) => name))
  checkModules(files, `${ENTRY}.js`)
  const limited = Object.entries(files).map(
    ([name, bytes]) => [name, name.endsWith('.wasm') ? limitMemory(bytes, memoryMiB) : bytes] as const,
  )
  return { entry: `${ENTRY}.js`, imports, files: Object.fromEntries(limited) }
}

/** Bytes 0-3 `\0asm`, 4-5 the version, 6-7 the layer: 0 a core module, 1 a component. */
function checkPreamble(bytes: Uint8Array) {
  const text = Buffer.from(bytes.subarray(0, 4)).toString('latin1')
  if (text !== '\0asm')
    throw new InvalidComponentError('Cannot load this component: the file is not WebAssembly')
  if (bytes[6] === 0) {
    throw new InvalidComponentError(
      'Cannot load this component: the file is a core WebAssembly module; build a component, e.g. with airlock-sdk build',
    )
  }
}

function checkExports(names: string[]) {
  const wanted = `${CONTRACT}/${world}@${CONTRACT_VERSION}`
  if (!names.includes(wanted)) {
    const other = names.find(name => name.startsWith(`${CONTRACT}/${world}@`))
    const found = other ? `it was built for ${other}` : `it exports ${names.join(', ') || 'nothing'}`
    throw new InvalidComponentError(`Cannot load this component: this host speaks ${wanted}; ${found}`)
  }
  // A function named `then` would make the awaited instance a promise that never settles. `init` is QuickJS's own.
  const unwanted = names.filter(name => ![wanted, world, 'init'].includes(name))
  if (unwanted.length > 0) {
    throw new InvalidComponentError(
      `Cannot load this component: it exports more than the contract: ${unwanted.join(', ')}`,
    )
  }
}

function firstLine(error: unknown): string {
  return String(error instanceof Error ? error.message : error)
    .split('\n')[0]!
    .slice(0, 300)
}

const answer: TranspileAnswer = await transpile().then(
  result => ({ ok: true, result }),
  error => ({
    ok: false,
    message: error instanceof Error ? error.message : String(error),
    imports: error instanceof InvalidComponentError ? [...error.imports] : [],
  }),
)
parentPort?.postMessage(answer)
