import { createHash, randomBytes } from 'node:crypto'
import { onTestFinished } from 'vitest'
import { type Script, type ScriptedServer, startScriptedServer } from '../../servers/scripted.ts'

export interface OpenRouterService {
  server: ScriptedServer
  /** Base URL for the settings. */
  apiUrl: string
  /** The key that it gives for a code, and takes. */
  key: string
  /** The page that the browser ends on: the callback, with a code. */
  visit(authUrl: string): Promise<Response>
}

/** What OpenRouter does: `/auth` sends the browser back with a code, `/auth/keys` gives a key for it. */
export async function startOpenRouter(): Promise<OpenRouterService> {
  const key = `sk-or-v1-${randomBytes(16).toString('hex')}`
  const challenges = new Map<string, string>()
  const server = await startScriptedServer(request => {
    const url = new URL(request.path, 'http://127.0.0.1')
    switch (url.pathname) {
      case '/auth': {
        const code = randomBytes(8).toString('hex')
        challenges.set(code, url.searchParams.get('code_challenge') ?? '')
        const callback = new URL(url.searchParams.get('callback_url') ?? '')
        callback.searchParams.set('code', code)
        return { status: 302, headers: { location: callback.href } }
      }
      case '/api/v1/auth/keys': {
        const {
          code,
          code_verifier: verifier,
          code_challenge_method: method,
        } = JSON.parse(request.body.toString())
        const challenge = challenges.get(code)
        challenges.delete(code)
        const isRight =
          createHash('sha256').update(verifier).digest('base64url') === challenge && method === 'S256'
        return isRight
          ? json({ key, user_id: 'user_1' })
          : json({ error: { code: 403, message: 'Invalid code' } }, 403)
      }
      case '/api/v1/models':
        return json({ data: MODELS })
      case '/api/v1/chat/completions':
        return request.headers.authorization === `Bearer ${key}`
          ? { body: [`data: ${JSON.stringify(CHUNK)}\n\n`, 'data: [DONE]\n\n'] }
          : json({ error: { code: 401, message: 'No auth credentials found' } }, 401)
      default:
        return json({ error: { code: 404, message: 'Not found' } }, 404)
    }
  })
  onTestFinished(() => server.close())
  return { server, apiUrl: `${server.url}/api/v1`, key, visit: url => fetch(url) }
}

function json(value: unknown, status = 200): Script {
  return { status, headers: { 'content-type': 'application/json' }, body: [JSON.stringify(value)] }
}

const CHUNK = { id: 'gen-1', choices: [{ index: 0, delta: { content: 'hello' }, finish_reason: 'stop' }] }

const MODELS = [
  {
    id: 'openrouter/auto',
    name: 'Auto Router',
    context_length: 2_000_000,
    pricing: { prompt: '-1', completion: '-1' },
    architecture: { input_modalities: ['text', 'image'] },
    supported_parameters: ['tools'],
  },
  {
    id: 'acme/large',
    name: 'Acme: Large',
    context_length: 200_000,
    top_provider: { context_length: 128_000, max_completion_tokens: 8_192 },
    pricing: { prompt: '0.0000025', completion: '0.00001', input_cache_read: '0.00000025' },
    architecture: { input_modalities: ['text'] },
    supported_parameters: ['tools', 'reasoning', 'structured_outputs'],
  },
]
