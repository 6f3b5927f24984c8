import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { withTextDecoder } from './bounded-decoder.ts'
import type { SandboxSetup } from './protocol.ts'

/** Loads a transpiled component; what it returns makes instances of it. */
export async function loadComponent(setup: Pick<SandboxSetup, 'folder' | 'entry'>) {
  const module: {
    instantiate(
      getCoreModule: (name: string) => Promise<WebAssembly.Module | undefined>,
      imports: unknown,
    ): Promise<Record<string, unknown>>
  } = await import(pathToFileURL(join(setup.folder, setup.entry)).href)
  // Compiled before the first call, whose computing time is the guest's alone.
  const compiled = new Map<string, WebAssembly.Module>()
  for (const name of await readdir(setup.folder)) {
    if (name.endsWith('.wasm'))
      compiled.set(name, await WebAssembly.compile(await readFile(join(setup.folder, name))))
  }
  const getCoreModule = async (name: string) => compiled.get(name)
  return (decoder: typeof TextDecoder, imports: unknown) =>
    withTextDecoder(decoder, () => module.instantiate(getCoreModule, imports))
}
