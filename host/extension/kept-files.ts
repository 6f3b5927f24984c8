/** Texts that belong to an extension whoever unpacks it. */
const TEXT = /^(readme|licen[cs]e|notice)(\.(md|txt))?$/i

/**
 * Whether a file of an archive may be part of an installed extension: its manifest, components with their source
 * maps, icons, README and licence. Sources, scripts and everything else stay behind.
 */
export function isKept(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return name === 'extension.json' || /\.(wasm|wasm\.map|svg)$/.test(name) || isText(name)
}

/** Whether a file beside the manifest is a README or a licence. */
export function isText(name: string): boolean {
  return TEXT.test(name)
}
