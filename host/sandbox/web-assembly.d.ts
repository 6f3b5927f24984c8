// The part of the WebAssembly JavaScript API that the sandbox uses: TypeScript has it only with the whole DOM.
declare namespace WebAssembly {
  interface Module {
    readonly [Symbol.toStringTag]: 'WebAssembly.Module'
  }
  function compile(bytes: Uint8Array): Promise<Module>
}
