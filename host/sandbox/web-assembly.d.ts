// The part of the WebAssembly JavaScript API that the sandbox uses: TypeScript has it only with the whole DOM.
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array)
    readonly [Symbol.toStringTag]: 'WebAssembly.Module'
    static imports(module: Module): { module: string; name: string }[]
    static exports(module: Module): { name: string }[]
  }
  function compile(bytes: Uint8Array): Promise<Module>
}
