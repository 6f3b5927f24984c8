import { readFileSync } from 'node:fs'
import { isAbsolute, join, relative, resolve } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'
import { BuildError } from './build-error.ts'
import { byteColumns } from './byte-columns.ts'
import { guestGlobals } from './guest-globals.ts'
import type { World } from './manifest.ts'

const sdk = join(import.meta.dirname, '..')
const ENTRY = 'airlock:entry'
const INSTALL_GLOBALS = join(sdk, 'runtime/install.ts')
const EXPORTS: Record<World, { file: string; name: string }> = {
  provider: { file: join(sdk, 'component/export-provider.ts'), name: 'exportProvider' },
  tools: { file: join(sdk, 'component/export-tools.ts'), name: 'exportTools' },
}

export interface Bundle {
  code: string
  /**
   * Source map, version 3. Sources are relative to the folder of the component, those of this SDK
   * `airlock-sdk:///<path>`, those of packages `npm:///<package>/<path>`. Columns count bytes of UTF-8, as QuickJS does.
   */
  map: string
  /** What the map's relative sources are relative to. */
  outputFolder: string
  /** Every file on disk that went in. */
  files: string[]
}

/** Makes one module of an extension's entry and everything it imports, this SDK included. */
export async function bundle(options: {
  entry: string
  outputFolder: string
  world: World
  /** Ids that the manifest names. */
  declared: readonly string[]
}): Promise<Bundle> {
  const { entry, outputFolder, world, declared } = options
  const { file, name } = EXPORTS[world]
  const entryCode = [
    `import ${JSON.stringify(INSTALL_GLOBALS)}`,
    `import extension from ${JSON.stringify(entry)}`,
    `import { ${name} } from ${JSON.stringify(file)}`,
    `export const ${world} = ${name}(extension, ${JSON.stringify(declared)})`,
  ].join('\n')
  const warnings: string[] = []
  try {
    await using build = await rolldown({
      input: ENTRY,
      plugins: [entryPlugin(entryCode), sdkPlugin()],
      external: [/^airlock:llm\//],
      platform: 'neutral',
      resolve: { mainFields: ['module', 'main'], conditionNames: ['import', 'module', 'default'] },
      transform: { inject: guestGlobals, target: 'es2023' },
      onLog: (_level, log) => warnings.push(log.message),
    })
    const { output } = await build.generate({
      format: 'esm',
      sourcemap: true,
      codeSplitting: false,
      dir: outputFolder,
      entryFileNames: 'bundle.js',
      comments: false,
      // Names stay, since authors read them in stack traces, and so do lines: QuickJS knows the column of
      // calls and throws only.
      minify: { compress: true, mangle: false, codegen: { removeWhitespace: false } },
      sourcemapPathTransform: source => sourceName(source, outputFolder),
    })
    const [{ code, map, moduleIds }] = output
    if (!map) throw new Error('the bundler made no source map')
    return {
      code,
      map: JSON.stringify({ ...map, mappings: byteColumns(code, map.mappings) }),
      outputFolder,
      files: moduleIds.filter(id => id !== ENTRY && !id.startsWith('\0')),
    }
  } catch (cause) {
    throw new BuildError(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

/** Sources of this SDK and of packages have one name on every machine; the extension's own are relative to the component. */
function sourceName(source: string, outputFolder: string): string {
  if (source.endsWith(ENTRY)) return 'airlock-sdk:///entry'
  const file = resolve(outputFolder, source).replaceAll('\\', '/')
  const inPackage = file.lastIndexOf('/node_modules/')
  if (inPackage !== -1) return `npm:///${file.slice(inPackage + '/node_modules/'.length)}`
  const inSdk = relative(sdk, file).replaceAll('\\', '/')
  return inSdk.startsWith('..') || isAbsolute(inSdk)
    ? source.replaceAll('\\', '/')
    : `airlock-sdk:///${inSdk}`
}

function entryPlugin(code: string): Plugin {
  return {
    name: 'airlock:entry',
    resolveId: id => (id === ENTRY ? id : null),
    load: id => (id === ENTRY ? { code, moduleType: 'js' } : null),
  }
}

/** `@airlock/guest-sdk` is this very SDK, so that a folder anywhere builds without installing anything. */
function sdkPlugin(): Plugin {
  const manifest: unknown = JSON.parse(readFileSync(join(sdk, 'package.json'), 'utf8'))
  const { name, exports } = manifest as { name: string; exports: Record<string, string> }
  return {
    name: 'airlock:sdk',
    resolveId(id) {
      if (id !== name && !id.startsWith(`${name}/`)) return null
      const subpath = `.${id.slice(name.length)}`
      const file = exports[subpath]
      if (file !== undefined) return join(sdk, file)
      throw new BuildError(`Cannot import "${id}": the SDK has ${Object.keys(exports).join(', ')}`)
    },
  }
}
