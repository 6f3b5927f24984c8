import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buildRawGuest } from '../support/raw-guest.ts'
import type { Attack } from './attack.ts'
import { attacks } from './attacks/index.ts'

/** All attacks come under this id, one after the other: loading one takes the other's place. */
export const HOSTILE = 'hostile'

// One component holds all attacks that JavaScript can express, and its provider's id says which it is to be: building
// and transpiling takes seconds, for each.
const COMMON = `
import { log, now, randomBytes } from 'airlock:llm/system@0.1.0'
import { getCredential, getEnvVar, getProviderSettings, storeCredential, deleteCredential, oauthSendHttpRequest,
  oauthStartWebAuth, oauthOpenBrowser } from 'airlock:llm/llm-provider@0.1.0'
import { fetch, fetchFallible, fetchStream } from 'airlock:llm/http-client@0.1.0'

const service = id => getProviderSettings(id).apiUrl
const canary = id => getProviderSettings(id).availableModels[0].name
const get = (url, headers = [], body = null) =>
  ({ method: body === null ? 'get' : 'post', url, headers, body, redirectPolicy: { tag: 'follow-all' } })
const bytes = text => new Uint8Array([...text].map(character => character.charCodeAt(0)))
/** What a call of the host came to, in words. */
const outcome = call => {
  try {
    const value = call()
    return 'ok ' + (value === undefined ? '' : JSON.stringify(value, (_, part) =>
      part instanceof Uint8Array ? String.fromCharCode(...part.subarray(0, 2000)) : typeof part === 'bigint' ? Number(part) : part))
  } catch (error) {
    return 'error ' + (error?.payload ?? error?.message ?? error)
  }
}
/** Words, told to the host as the names of models. */
const report = (...names) => names.map((name, index) => ({ id: 'm' + index, name: String(name).slice(0, 900), family: null,
  maxTokenCount: 1, maxOutputTokens: null, pricing: null, isDefault: false, isDefaultFast: false, capabilities: {
    supportsImages: false, supportsFiles: false, supportsTools: false, supportsToolChoiceAuto: false, supportsToolChoiceAny: false,
    supportsToolChoiceNone: false, supportsToolChoiceTool: false, supportsParallelToolCalls: false, supportsThinking: false,
    supportsStructuredOutput: false, supportsStreaming: true, toolInputFormat: 'json-schema', maxTools: null } }))
const failure = message => ({ kind: 'other', message, status: null, code: null, retryAfterMs: null })
const text = val => ({ tag: 'text', val })
const stop = { tag: 'stop', val: 'end-turn' }
const forever = () => { for (;;) {} }

class Hostile extends Completion {
  constructor(id, attack) { super(); this.id = id; this.attack = attack }
  decode(frames) { return this.attack.decode ? this.attack.decode.call(this, frames, this.id) : [] }
  finish() { return this.attack.finish ? this.attack.finish.call(this, this.id) : [stop] }
  reject(response) { return this.attack.reject ? this.attack.reject.call(this, response, this.id) : super.reject(response) }
}
const provider0 = { ...minimal, Completion: Hostile,
  startCompletion(id, model, request, attack = {}) {
    const wanted = typeof attack.request === 'function' ? attack.request(id, model) : get(service(id))
    return { request: wanted, framing: attack.framing ?? 'server-sent-events', completion: new Hostile(id, attack) }
  },
}
`

function sourceOf(all: readonly Attack[]): string {
  const guests = all.flatMap(({ id, guest }) =>
    guest === undefined ? [] : [`${JSON.stringify(id)}: ${guest}`],
  )
  return `${COMMON}
const attacks = { ${guests.join(',\n')} }
export const provider = { ...provider0 }
for (const name of Object.keys(minimal)) {
  if (name === 'Completion' || name === 'providers') continue
  provider[name] = (id, ...rest) => {
    const attack = attacks[id] ?? {}
    if (attack[name]) return attack[name](id, ...rest)
    return provider0[name](id, ...rest, attack)
  }
}
`
}

let built: Promise<Uint8Array> | undefined

function common(): Promise<Uint8Array> {
  built ??= buildRawGuest(sourceOf(attacks))
  return built
}

/** Writes the folder of an attack's extension, ready to be loaded or installed. */
export async function buildHostile(
  attack: Attack,
  parent: string,
  canary: { url: string; port: number },
): Promise<string> {
  const folder = join(parent, 'hostile', attack.id)
  await mkdir(folder, { recursive: true })
  const component = await (attack.component?.() ?? common())
  await writeFile(join(folder, 'hostile.wasm'), component)
  for (const [name, content] of Object.entries(attack.files ?? {}))
    await writeFile(join(folder, name), content)
  const manifest = {
    id: HOSTILE,
    name: 'Hostile',
    version: '1.0.0',
    contract: 'airlock:llm@0.1.0',
    component: 'hostile.wasm',
    providers: [attack.id, ...(attack.providers ?? [])].map(id => ({ id, name: id })),
    permissions: attack.permissions?.(canary) ?? {},
  }
  await writeFile(join(folder, 'extension.json'), JSON.stringify(manifest))
  return folder
}
