import { randomBytes, randomInt } from 'node:crypto'

/** What an endpoint of a sign-in answers. */
export interface SignInAnswer {
  status: number
  body: object | string
}

export interface SignInServiceOptions {
  /** What a sign-in brings: given out again for every one. */
  accessToken: string
  /** Where people confirm, e.g. `http://127.0.0.1:4711/device`. */
  page: () => string
  /** Confirms a code by itself after this time, as if somebody had: the demo's user has no browser. Default: never. */
  confirmAfterMs?: number
}

/** The device sign-in of a small service: RFC 8628, as much as a client sees of it. */
export interface SignInService {
  /** Undefined where the path is none of its own. */
  answer(method: string, path: string, form: URLSearchParams): SignInAnswer | undefined
  close(): void
}

// Fast for a demo, and a whole second, which is the least that the wire can say.
const INTERVAL_SECONDS = 1
const CODE_SECONDS = 600
const TOKEN_SECONDS = 3_600
const MAX_CODES = 100
/** RFC 8628, 6.1: no vowels, so that no word comes out. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'

export function createSignInService(options: SignInServiceOptions): SignInService {
  const { accessToken, page, confirmAfterMs } = options
  const codes = new Map<string, { userCode: string; state: 'waiting' | 'confirmed' | 'denied' }>()
  const refreshTokens = new Set<string>()
  const timers = new Set<NodeJS.Timeout>()

  function begin(): SignInAnswer {
    if (codes.size >= MAX_CODES) return refuse('temporarily_unavailable')
    const deviceCode = randomBytes(24).toString('base64url')
    const userCode = `${letters(4)}-${letters(4)}`
    const code = { userCode, state: 'waiting' as 'waiting' | 'confirmed' | 'denied' }
    codes.set(deviceCode, code)
    if (confirmAfterMs !== undefined) {
      const timer = setTimeout(() => {
        if (code.state === 'waiting') code.state = 'confirmed'
      }, confirmAfterMs)
      timers.add(timer.unref())
    }
    return {
      status: 200,
      body: {
        device_code: deviceCode,
        user_code: userCode,
        verification_uri: page(),
        expires_in: CODE_SECONDS,
        interval: INTERVAL_SECONDS,
      },
    }
  }

  function token(form: URLSearchParams): SignInAnswer {
    if (form.get('grant_type') === 'refresh_token') {
      // Used once, as a careful service does it.
      return refreshTokens.delete(form.get('refresh_token') ?? '') ? issue() : refuse('invalid_grant')
    }
    const deviceCode = form.get('device_code') ?? ''
    const code = codes.get(deviceCode)
    if (code === undefined) return refuse('invalid_grant')
    if (code.state === 'waiting') return refuse('authorization_pending')
    codes.delete(deviceCode)
    return code.state === 'confirmed' ? issue() : refuse('access_denied')
  }

  function issue(): SignInAnswer {
    const refreshToken = `demo-refresh-${randomBytes(18).toString('base64url')}`
    refreshTokens.add(refreshToken)
    return {
      status: 200,
      body: {
        access_token: accessToken,
        token_type: 'Bearer',
        expires_in: TOKEN_SECONDS,
        refresh_token: refreshToken,
      },
    }
  }

  function decide(form: URLSearchParams): SignInAnswer {
    const entered = (form.get('code') ?? '').trim().toUpperCase()
    const code = [...codes.values()].find(({ userCode }) => userCode === entered)
    if (code === undefined) return { status: 404, body: pageOf('<p>There is no such code.</p>') }
    code.state = form.get('answer') === 'deny' ? 'denied' : 'confirmed'
    return { status: 200, body: pageOf('<p>Done. You can close this page.</p>') }
  }

  return {
    answer(method, path, form) {
      if (path === '/device' && method === 'GET') return { status: 200, body: pageOf(FORM) }
      if (path === '/device' && method === 'POST') return decide(form)
      if (path === '/oauth/device' && method === 'POST') return begin()
      if (path === '/oauth/token' && method === 'POST') return token(form)
      return undefined
    },
    close() {
      for (const timer of timers) clearTimeout(timer)
    },
  }
}

const FORM =
  '<form method="post"><label>Code <input name="code" autofocus required></label> ' +
  '<button name="answer" value="allow">Allow</button> <button name="answer" value="deny">Deny</button></form>'

function pageOf(body: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Demo service</title><h1>Demo service</h1>${body}</html>`
}

function refuse(error: string): SignInAnswer {
  return { status: 400, body: { error } }
}

function letters(count: number): string {
  return Array.from({ length: count }, () => LETTERS[randomInt(LETTERS.length)]).join('')
}
