import * as z from 'zod'
import { AirlockError } from '../errors.ts'
import { allowedBrowserUrl, type BrowserPermission } from '../oauth/browser-url.ts'
import { runWebAuth } from '../oauth/web-auth.ts'
import type { HttpResult } from './http-client.ts'
import type { SignInSession } from './sign-in-session.ts'

// A user who did not finish may start again; an extension that asks for ever is a nuisance.
const MAX_ATTEMPTS = 3
const MAX_PAGES = 10

const webAuthConfig = z.object({
  authUrl: z.string(),
  callbackPath: z.string(),
  timeoutSecs: z.number().optional(),
})

/** What an extension learns of a sign-in in the browser. */
export interface WebAuthAnswer {
  callbackUrl: string
  port: number
}

/**
 * The host side of `oauth-start-web-auth` and `oauth-open-browser`: a guest reaches the user's browser while its own
 * sign-in runs, at the origins that it may open, and at no other time. Nothing here rejects.
 */
export interface GuestOAuth {
  startWebAuth(config: unknown, session: SignInSession | undefined): Promise<HttpResult<WebAuthAnswer>>
  openBrowser(url: unknown, session: SignInSession | undefined): Promise<HttpResult<undefined>>
}

/** `permissionOf`: where the browser may be sent for a provider. */
export function createGuestOAuth(permissionOf: (provider: string) => BrowserPermission): GuestOAuth {
  const attempts = new WeakMap<SignInSession, number>()
  const pages = new WeakMap<SignInSession, number>()

  return {
    startWebAuth: (config, session) =>
      inSignIn('oauth-start-web-auth', session, async current => {
        countUp(attempts, current, MAX_ATTEMPTS, 'sign in with the browser')
        const { authUrl, callbackPath, timeoutSecs = 0 } = webAuthConfig.parse(config)
        const running = runWebAuth({
          authUrl,
          callbackPath,
          permission: permissionOf(current.provider),
          timeoutMs: timeoutSecs > 0 ? timeoutSecs * 1000 : undefined,
          openBrowser: current.openBrowser,
          readPasted: current.readPasted,
          onEvent: current.progress,
          signal: current.signal,
        })
        // Its port stays open, for a browser that reloads, until the extension has exchanged the code.
        current.onEnd(async () => (await running).close())
        const { callbackUrl, port } = await running
        return { callbackUrl, port }
      }),

    openBrowser: (url, session) =>
      inSignIn('oauth-open-browser', session, async current => {
        countUp(pages, current, MAX_PAGES, 'open a page')
        const { href } = allowedBrowserUrl(String(url), permissionOf(current.provider))
        current.progress({ type: 'visit', url: href })
        await current.openBrowser?.(href)
        return undefined
      }),
  }
}

async function inSignIn<T>(
  name: string,
  session: SignInSession | undefined,
  run: (session: SignInSession) => Promise<T>,
): Promise<HttpResult<T>> {
  if (session?.purpose !== 'sign-in' || session.signal.aborted)
    return {
      ok: false,
      error: `Cannot call ${name}: it is there while a user signs in, and at no other time`,
    }
  try {
    return { ok: true, value: await run(session) }
  } catch (error) {
    if (error instanceof Error) session.failure ??= error
    return { ok: false, error: error instanceof AirlockError ? error.message : `${name} failed` }
  }
}

function countUp(
  counts: WeakMap<SignInSession, number>,
  session: SignInSession,
  most: number,
  action: string,
): void {
  const count = (counts.get(session) ?? 0) + 1
  counts.set(session, count)
  if (count > most)
    throw new AirlockError('too-many', `Cannot ${action}: ${most} times are enough in one sign-in`)
}
