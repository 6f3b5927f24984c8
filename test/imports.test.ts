import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { parseSync } from 'vite'
import { describe, expect, test } from 'vitest'
import { repoRoot } from './support/repo-root.ts'

/** Imports inside host point to the left of where they stand, or stay in their folder. */
const HOST_LAYERS = [
  'errors',
  'contract',
  'policy',
  'home',
  'extension',
  'credentials',
  'http',
  'oauth',
  'capabilities',
  'sandbox',
  'telemetry',
  'tools',
  'runtime',
  'adapters',
  'gateway',
  'demo',
  'cli',
]

/** Errors carry what had been streamed, so they name the event types. Types are erased: nothing is loaded. */
const TYPE_ONLY_EXCEPTIONS = new Set(['host/errors.ts -> host/contract/events.ts'])

const MAX_LINES = 400

interface Import {
  /** As written: `./a.ts`, `node:fs`, `zod`. */
  specifier: string
  typeOnly: boolean
}

interface Source {
  /** From the root of the repository, with forward slashes. */
  file: string
  text: string
  imports: Import[]
  exportsAll: string[]
}

const workspaces = ['host', 'guest-sdk', 'extensions']
const sources = workspaces.flatMap(workspace => sourceFiles(join(repoRoot, workspace)).map(readSource))

describe('imports', () => {
  test('every source file is read', () => {
    expect(sources.map(source => source.file)).toContain('host/errors.ts')
    expect(sources.length).toBeGreaterThan(5)
  })

  test('host: every file belongs to a layer', () => {
    const entries = ['host/index.ts', 'host/bin/airlock.js']
    const lost = sources
      .filter(source => source.file.startsWith('host/') && !entries.includes(source.file))
      .filter(source => layerOf(source.file) === -1)
      .map(source => source.file)
    expect(lost).toEqual([])
  })

  test(`host: imports point one way: ${HOST_LAYERS.join(' < ')}`, () => {
    const wrong = localImports('host/')
      .filter(({ from, to }) => layerOf(from) !== -1 && !to.endsWith('.json'))
      .filter(({ from, to }) => layerOf(to) === -1 || layerOf(to) > layerOf(from))
      .filter(({ from, to, typeOnly }) => !(typeOnly && TYPE_ONLY_EXCEPTIONS.has(`${from} -> ${to}`)))
      .map(({ from, to }) => `${from} -> ${to}`)
    expect(wrong).toEqual([])
  })

  test('host and guest-sdk never import each other', () => {
    expect([...strangers('host/', 'guest-sdk'), ...strangers('guest-sdk/', 'host')]).toEqual([])
  })

  test('extensions import their own files and @airlock/guest-sdk, nothing else', () => {
    const wrong = sources
      .filter(source => source.file.startsWith('extensions/'))
      .flatMap(source =>
        source.imports
          .filter(({ specifier }) => !isGuestSdk(specifier) && !staysInExtension(source.file, specifier))
          .map(({ specifier }) => `${source.file} -> ${specifier}`),
      )
    expect(wrong).toEqual([])
  })

  test('every relative import names a file that is there', () => {
    const missing = sources.flatMap(source =>
      source.imports
        .filter(({ specifier }) => specifier.startsWith('.'))
        .filter(({ specifier }) => !isGenerated(specifier) && !existsSync(target(source.file, specifier)))
        .map(({ specifier }) => `${source.file} -> ${specifier}`),
    )
    expect(missing).toEqual([])
  })

  test('importing does not go in circles', () => {
    expect(circles(localImports('').filter(({ typeOnly }) => !typeOnly))).toEqual([])
  })
})

describe('files', () => {
  test('none lies in a folder called utils, helpers or common, or is called so', () => {
    const vague = sources
      .map(source => source.file)
      .filter(file => /(^|\/)(utils?|helpers?|common)[./]/.test(file))
    expect(vague).toEqual([])
  })

  test('none exports everything of another', () => {
    const greedy = sources.flatMap(source =>
      source.exportsAll.map(all => `${source.file}: export * from '${all}'`),
    )
    expect(greedy).toEqual([])
  })

  test(`none is longer than ${MAX_LINES} lines`, () => {
    const long = sources
      .map(source => ({ file: source.file, lines: source.text.split('\n').length }))
      .filter(({ lines }) => lines > MAX_LINES)
    expect(long).toEqual([])
  })
})

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      return ['node_modules', 'dist', 'generated'].includes(entry.name) ? [] : sourceFiles(path)
    }
    return /\.[cm]?[jt]s$/.test(entry.name) && !entry.name.endsWith('.d.ts') ? [path] : []
  })
}

function readSource(path: string): Source {
  const file = relative(repoRoot, path).replaceAll('\\', '/')
  const text = readFileSync(path, 'utf8')
  const { module, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`Cannot parse ${file}: ${errors[0]?.message}`)
  const imports: Import[] = []
  const exportsAll: string[] = []
  for (const { moduleRequest, entries, start, end } of module.staticImports) {
    const typeOnly =
      text.slice(start, end).startsWith('import type') ||
      (entries.length > 0 && entries.every(entry => entry.isType))
    imports.push({ specifier: moduleRequest.value, typeOnly })
  }
  for (const { entries } of module.staticExports) {
    for (const { moduleRequest, importName, isType } of entries) {
      if (!moduleRequest) continue
      imports.push({ specifier: moduleRequest.value, typeOnly: isType })
      if (importName.kind === 'All' || importName.kind === 'AllButDefault')
        exportsAll.push(moduleRequest.value)
    }
  }
  for (const { moduleRequest } of module.dynamicImports) {
    const argument = text.slice(moduleRequest.start, moduleRequest.end)
    // What is computed (the transpiled component) has no name to check.
    const literal = /^(['"`])([^$]*)\1$/.exec(argument)
    if (literal?.[2]) imports.push({ specifier: literal[2], typeOnly: false })
  }
  return { file, text, imports, exportsAll }
}

function target(file: string, specifier: string): string {
  return resolve(repoRoot, dirname(file), specifier)
}

function localImports(prefix: string): { from: string; to: string; typeOnly: boolean }[] {
  return sources
    .filter(source => source.file.startsWith(prefix))
    .flatMap(({ file, imports }) =>
      imports
        .filter(({ specifier }) => specifier.startsWith('.'))
        .map(({ specifier, typeOnly }) => ({
          from: file,
          to: relative(repoRoot, target(file, specifier)).replaceAll('\\', '/'),
          typeOnly,
        })),
    )
}

/** -1 outside the layers. */
function layerOf(file: string): number {
  const [workspace, name = ''] = file.split('/')
  return workspace === 'host' ? HOST_LAYERS.indexOf(name.replace(/\.ts$/, '')) : -1
}

function strangers(prefix: string, other: 'host' | 'guest-sdk'): string[] {
  return sources
    .filter(source => source.file.startsWith(prefix))
    .flatMap(({ file, imports }) =>
      imports
        .filter(({ specifier }) =>
          specifier.startsWith('.')
            ? relative(repoRoot, target(file, specifier)).startsWith(`${other}/`)
            : specifier === `@airlock/${other}` || specifier.startsWith(`@airlock/${other}/`),
        )
        .map(({ specifier }) => `${file} -> ${specifier}`),
    )
}

function isGuestSdk(specifier: string): boolean {
  return specifier === '@airlock/guest-sdk' || specifier.startsWith('@airlock/guest-sdk/')
}

function staysInExtension(file: string, specifier: string): boolean {
  const [, id] = file.split('/')
  return (
    specifier.startsWith('.') && target(file, specifier).startsWith(join(repoRoot, 'extensions', `${id}/`))
  )
}

function isGenerated(specifier: string): boolean {
  return /\/generated\//.test(specifier)
}

/** Every circle once, as `a -> b -> a`. */
function circles(imports: { from: string; to: string }[]): string[] {
  const next = Map.groupBy(imports, ({ from }) => from)
  const found: string[] = []
  const done = new Set<string>()
  const visit = (file: string, path: string[]): void => {
    const start = path.indexOf(file)
    if (start !== -1) {
      found.push([...path.slice(start), file].join(' -> '))
      return
    }
    if (done.has(file)) return
    for (const { to } of next.get(file) ?? []) visit(to, [...path, file])
    done.add(file)
  }
  for (const file of next.keys()) visit(file, [])
  return found
}
