import { type Answer, type Script, type ScriptedServer, startScriptedServer } from './scripted.ts'

/** One answer of an endpoint: a value goes as JSON with status 200. */
export type EndpointAnswer = Script | { json: unknown; status?: number } | { form: string; status?: number }

export interface ScriptedOAuthServer extends AsyncDisposable {
  tokenEndpoint: string
  deviceEndpoint: string
  /** What each request to the token endpoint brought. */
  tokenRequests(): URLSearchParams[]
  server: ScriptedServer
}

/**
 * A token and device endpoint that says what a correct one never does: each answers in order, and the last answer
 * stands for all that follow.
 */
export async function startScriptedOAuthServer(script: {
  token?: readonly EndpointAnswer[]
  device?: EndpointAnswer
}): Promise<ScriptedOAuthServer> {
  const { token = [], device } = script
  let asked = 0
  const server = await startScriptedServer(request => {
    if (request.path === '/device' && device !== undefined) return toScript(device)
    if (request.path === '/token' && token.length > 0) {
      return toScript(token[Math.min(asked++, token.length - 1)]!)
    }
    return { status: 404, headers: { 'content-type': 'text/plain' }, body: ['not scripted'] }
  })
  return {
    tokenEndpoint: `${server.url}/token`,
    deviceEndpoint: `${server.url}/device`,
    tokenRequests: () =>
      server.requests
        .filter(request => request.path === '/token')
        .map(request => new URLSearchParams(request.body.toString())),
    server,
    [Symbol.asyncDispose]: () => server.close(),
  }
}

function toScript(answer: EndpointAnswer): Script {
  if (answer === 'never') return answer
  if ('json' in answer) return whole(JSON.stringify(answer.json), 'application/json', answer.status)
  if ('form' in answer) return whole(answer.form, 'application/x-www-form-urlencoded', answer.status)
  return answer
}

function whole(body: string, type: string, status = 200): Answer {
  return { status, headers: { 'content-type': type }, body: [body] }
}
