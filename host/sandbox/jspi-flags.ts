/**
 * What V8 must be told for a guest to be suspended (JSPI). Node 24 has it behind a flag, which must be set before the
 * sandbox starts; Node 26 has it, and refuses the flag as unknown.
 */
export function jspiFlags(): string[] {
  // Not by its name: its types come with those of a browser, which a program that uses Airlock need not have.
  const webAssembly: unknown = Reflect.get(globalThis, 'WebAssembly')
  const isThere = typeof webAssembly === 'object' && webAssembly !== null && 'Suspending' in webAssembly
  return isThere ? [] : ['--experimental-wasm-jspi']
}
