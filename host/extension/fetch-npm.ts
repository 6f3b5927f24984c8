import { spawn } from 'node:child_process'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { InstallError } from '../errors.ts'

/** A package name as the registry has allowed it since 2017; nothing that npm takes for a path, a URL or an option. */
const NAME = /^(@[a-z0-9][a-z0-9._-]{0,99}\/)?[a-z0-9][a-z0-9._-]{0,99}$/
/** A version, a range or a tag. No colon and no slash: no git, file, alias or URL, whose fetching may run scripts. */
const VERSION = /^[A-Za-z0-9^~][A-Za-z0-9.^~+*-]{0,99}$/
/** Fetching one package; npm itself gives up on a silent registry earlier. */
const MAX_FETCH_MS = 5 * 60_000
/** npm's report is a page of JSON. */
const MAX_REPORT_CHARS = 1024 * 1024

const report = z.object({ error: z.object({ code: z.string().optional(), summary: z.string().optional() }) })

/**
 * Fetches `name[@version]` from the npm registry that the user's npm is set up for, as `npm pack` does it, into an
 * empty folder, and returns the archive's path. npm checks its integrity; no script of the package runs.
 * @throws {InstallError} for a name that is no registry package, or with npm's own reason.
 */
export async function fetchNpm(
  wanted: string,
  folder: string,
  options: { env?: NodeJS.ProcessEnv; signal?: AbortSignal } = {},
): Promise<string> {
  const { name, version } = splitWanted(wanted)
  const timeout = AbortSignal.timeout(MAX_FETCH_MS)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const { code, output } = await runNpm(
    ['pack', '--ignore-scripts', '--json', '--pack-destination', '.', '--', `${name}@${version}`],
    {
      folder,
      env: options.env,
      signal: options.signal ? AbortSignal.any([options.signal, timeout]) : timeout,
    },
  ).catch(cause => {
    options.signal?.throwIfAborted()
    const reason = timeout.aborted
      ? `npm took longer than ${MAX_FETCH_MS / 1000} s`
      : cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
        ? 'there is no npm on the path; install from a folder or an archive instead'
        : String(cause)
    throw new InstallError(`Cannot fetch npm:${wanted}: ${reason}`, { cause })
  })
  if (code !== 0) throw new InstallError(`Cannot fetch npm:${wanted}: ${reasonOf(output, code)}`)
  const archives = (await readdir(folder)).filter(file => file.endsWith('.tgz'))
  const [archive] = archives
  if (archive === undefined || archives.length > 1)
    throw new InstallError(`Cannot fetch npm:${wanted}: npm left ${archives.length} archives, expected one`)
  return join(folder, archive)
}

function splitWanted(wanted: string): { name: string; version: string } {
  const at = wanted.indexOf('@', 1)
  const name = at === -1 ? wanted : wanted.slice(0, at)
  const version = at === -1 ? 'latest' : wanted.slice(at + 1)
  if (!NAME.test(name) || name.includes('..'))
    throw new InstallError(`Cannot fetch npm:${wanted}: "${name}" is not the name of a registry package`)
  if (!VERSION.test(version))
    throw new InstallError(`Cannot fetch npm:${wanted}: "${version}" is not a version, a range or a tag`)
  return { name, version }
}

function runNpm(
  args: readonly string[],
  options: { folder: string; env: NodeJS.ProcessEnv | undefined; signal: AbortSignal },
): Promise<{ code: number | null; output: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ code: number | null; output: string }>()
  const child = spawn('npm', args, {
    // A folder of its own: no project's .npmrc, no package of the same name beside it.
    cwd: options.folder,
    ...(options.env && { env: options.env }),
    signal: options.signal,
    stdio: ['ignore', 'pipe', 'ignore'],
    // npm is a batch file there, which only a shell runs; every argument has been checked to be a plain word.
    shell: process.platform === 'win32',
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (output.length < MAX_REPORT_CHARS) output += text
  })
  let failure: Error | undefined
  child.on('error', error => {
    failure = error
  })
  // Not before npm is gone: whoever asked removes the folder that it writes to.
  child.on('close', code => (failure ? reject(failure) : resolve({ code, output })))
  return promise
}

function reasonOf(output: string, code: number | null): string {
  const start = output.indexOf('{')
  try {
    const { error } = report.parse(JSON.parse(output.slice(Math.max(0, start))))
    // The first line says it; the rest is advice for people who develop the package.
    const [summary = ''] = (error.summary ?? '').split('\n')
    return [error.code, summary].filter(Boolean).join(': ')
  } catch {
    return `npm ended with exit code ${code}`
  }
}
