import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { browserUrl } from './browser-url.ts'
import { SignInError } from './sign-in-error.ts'

export interface BrowserOpenerOptions {
  /** `BROWSER`, `DISPLAY`, `WAYLAND_DISPLAY` and those of WSL are looked at. */
  env: NodeJS.ProcessEnv
  /** Default: this machine's. */
  platform?: NodeJS.Platform
}

/** Opens an http(s) URL. @throws {SignInError} `browser-unavailable` or `sign-in-invalid-url` */
export type BrowserOpener = (url: string) => Promise<void>

// A launcher that finds no browser says so by its exit, within milliseconds. A browser that runs on is a success.
const LAUNCH_MS = 2_000

/**
 * Starts the user's browser.
 *
 * `BROWSER` is honoured, since editors set it in remote sessions to a program that opens the browser where the user
 * sits: a program and its arguments, separated by spaces, `%s` for the URL (else it comes last), of a list with
 * colons the first. `none` means that no browser is wanted. No shell reads it.
 */
export function createBrowserOpener(options: BrowserOpenerOptions): BrowserOpener {
  const { env, platform = process.platform } = options
  return async text => {
    const { href } = browserUrl(text)
    const own = env.BROWSER?.trim() ?? ''
    if (/^(none|false|0)$/i.test(own)) throw unavailable('BROWSER says that none is wanted')
    if (own !== '') return await watch(own, launchOwn(own, href, platform))
    if (platform === 'linux' && !hasDisplay(env)) {
      throw unavailable('this session has no screen (neither DISPLAY nor WAYLAND_DISPLAY is set)')
    }
    const { default: open } = await import('open')
    let child: ChildProcess
    try {
      child = await open(href)
    } catch (error) {
      throw unavailable(error instanceof Error ? error.message : String(error), error)
    }
    await watch("the system's launcher", child)
  }
}

function launchOwn(command: string, url: string, platform: NodeJS.Platform): ChildProcess {
  // A drive's letter has a colon of its own.
  const first = platform === 'win32' ? command : command.split(':')[0]!
  const words = first.split(/\s+/).filter(word => word !== '')
  const [program, ...args] = words.map(word => word.replaceAll('%s', url))
  if (program === undefined) throw unavailable(`BROWSER is "${command}", which names no program`)
  if (!first.includes('%s')) args.push(url)
  return spawn(program, args, { stdio: 'ignore', detached: true })
}

async function watch(name: string, child: ChildProcess): Promise<void> {
  child.unref()
  const timer = new AbortController()
  const timeout = setTimeout(() => timer.abort(), LAUNCH_MS)
  timeout.unref()
  try {
    if (child.exitCode === null && child.signalCode === null) {
      await once(child, 'exit', { signal: timer.signal })
    }
  } catch (error) {
    if (timer.signal.aborted) return
    throw unavailable(`${name}: ${error instanceof Error ? error.message : String(error)}`, error)
  } finally {
    clearTimeout(timeout)
    child.on('error', () => {}) // What fails later is the browser's own affair.
  }
  if (child.exitCode !== 0) {
    throw unavailable(`${name} ended with ${child.exitCode ?? child.signalCode}`)
  }
}

function hasDisplay(env: NodeJS.ProcessEnv): boolean {
  return [env.DISPLAY, env.WAYLAND_DISPLAY, env.WSL_DISTRO_NAME, env.WSL_INTEROP].some(Boolean)
}

function unavailable(reason: string, cause?: unknown): SignInError {
  return new SignInError(
    'browser-unavailable',
    `Cannot open a browser: ${reason}`,
    cause === undefined ? {} : { cause },
  )
}
