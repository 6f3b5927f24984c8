import { type Attack, stoppedBy } from '../attack.ts'
import type { Stage } from '../stage.ts'

const streaming = { headers: { 'content-type': 'text/event-stream' } }

/** The list of models, or what stopped it. */
function listError(stage: Stage): Promise<string> {
  return stage.models().then(
    models => Promise.reject(new Error(`it was not stopped: ${models.length} models`)),
    (error: unknown) => stoppedBy(error),
  )
}

/** Another call, which must work whatever the one before it did. */
async function nextCallWorks(stage: Stage): Promise<void> {
  const { events, error } = await stage.complete('fine')
  if (error !== undefined) throw new Error('the next call failed', { cause: error })
  if (events.at(-1)?.type !== 'stop') throw new Error('the next call did not end')
}

const failing = (tries: string, id: string, guest: string): Attack => ({
  id,
  tries,
  guest,
  async run(stage) {
    const stopped = await listError(stage)
    await nextCallWorks(stage)
    return stopped
  },
})

/** A completion that must fail; the guest does well where the model is called `fine`. */
const failingCompletion = (tries: string, id: string, guest: string, status = 200): Attack => ({
  id,
  tries,
  guest,
  async run(stage) {
    stage.answers({ ...streaming, status, body: ['data: 1\n\n', 'data: 2\n\n'] })
    const stopped = stoppedBy(await stage.completionError())
    stage.answers({ ...streaming, body: ['data: 1\n\n'] })
    await nextCallWorks(stage)
    return stopped
  },
})

/** Kept by `startCompletion` of the guest for its later calls. */
const unlessFine = (members: string) => `{
  request(id, model) { this.fine = model === 'fine'; return get(service(id)) }, ${members} }`

/** Names, and arguments after the provider. */
const OTHER_EXPORTS: [string, ...unknown[]][] = [
  ['getCacheConfiguration', 'm'],
  ['countTokens', 'm', { messages: [], tools: [], stopSequences: [], thinkingAllowed: true }],
  ['signInOptions'],
  ['settingsMarkdown'],
  ['isAuthenticated'],
  ['signIn', 'option', undefined],
  ['signOut'],
  ['refreshCredential'],
  ['startDeviceFlow', 'option'],
  ['pollDeviceFlow', 'state'],
]

export const computeAttacks: Attack[] = [
  failing('loop for ever in models', 'loop-models', '{ models: forever }'),
  failing(
    'loop for ever in a regular expression',
    'loop-regexp',
    `{ models: () => /^(a+)+$/.test('a'.repeat(60) + 'b') }`,
  ),
  failingCompletion(
    'loop for ever in start-completion',
    'loop-start',
    `{ startCompletion(id, model, ...rest) { if (model !== 'fine') forever(); return provider0.startCompletion(id, model, ...rest) } }`,
  ),
  failingCompletion(
    'loop for ever in decode',
    'loop-decode',
    unlessFine('decode(frames) { if (!attacks["loop-decode"].fine) forever(); return [] }'),
  ),
  failingCompletion(
    'loop for ever in finish',
    'loop-finish',
    unlessFine('finish() { if (!attacks["loop-finish"].fine) forever(); return [stop] }'),
  ),
  failingCompletion('loop for ever in reject', 'loop-reject', '{ reject: forever }', 500),
  failingCompletion(
    'loop for ever after a thousand good events',
    'loop-late',
    unlessFine(`decode() { const attack = attacks['loop-late']; if (attack.fine) return []
      attack.count = (attack.count ?? 0) + 1; if (attack.count % 2 === 0) forever()
      return Array.from({ length: 1000 }, (_, index) => text(index + ' ')) }`),
  ),
  failing(
    'loop for ever around requests that are refused, never computing long',
    'loop-requests',
    `{ models: () => { for (;;) outcome(() => fetch(get('https://undeclared.example/'))) } }`,
  ),
  {
    id: 'loop-elsewhere',
    tries: 'loop for ever, and throw, in every other export',
    guest: `Object.fromEntries(['getCacheConfiguration', 'countTokens', 'signInOptions', 'settingsMarkdown', 'isAuthenticated', 'signIn',
      'signOut', 'refreshCredential', 'startDeviceFlow', 'pollDeviceFlow'].map(name => [name, (id, what) => {
        if (what === 'throw') throw new Error('no'); forever() }]))`,
    async run(stage) {
      const host = await stage.openHost()
      try {
        let stopped = ''
        for (const [name, ...rest] of OTHER_EXPORTS) {
          // Exports that take the provider alone cannot be told to throw.
          for (const what of rest.length > 0 ? ['throw', 'loop'] : ['loop']) {
            const args = ['loop-elsewhere', ...(rest.length > 0 ? [what, ...rest.slice(1)] : [])]
            stopped = await host.call(name, args).then(
              () => Promise.reject(new Error(`${name} returned`)),
              (error: unknown) => stoppedBy(error),
            )
          }
        }
        await host.call('models', ['loop-elsewhere'])
        return stopped
      } finally {
        await host.close()
      }
    },
  },
  {
    id: 'endless-nothing',
    tries: 'answer itself, with nothing, for ever',
    guest: `{ framing: 'none', request: () => null, decode: () => [] }`,
    run: async stage => stoppedBy(await stage.completionError()),
  },
  failing(
    'fill the memory',
    'memory-bomb',
    '{ models: () => { const all = []; for (;;) all.push(new Uint8Array(1 << 20).fill(1)) } }',
  ),
  failing(
    'fill the memory with one array',
    'memory-array',
    `{ models: () => { const all = []; for (;;) all.push(all.length) } }`,
  ),
  failing(
    'recurse without end',
    'recursion',
    '{ models: () => { const down = () => down() + 1; return down() } }',
  ),
  failing('return 1 GB of text', 'long-text', `{ models: () => report('x'.repeat(1 << 30)) }`),
  failing('return 100,000 models', 'many-models', `{ models: () => Array(100_000).fill(report('x')[0]) }`),
  {
    id: 'event-flood',
    tries: 'return ten million events at once',
    guest: `{ framing: 'none', request: () => null, decode: () => Array(10_000_000).fill(text('x')) }`,
    run: async stage => stoppedBy(await stage.completionError()),
  },
  {
    id: 'event-stream-flood',
    tries: 'return ten million events, a thousand at a time',
    guest: `{ framing: 'none', request: () => null, decode: () => Array(1_000).fill(text('x')) }`,
    run: async stage => stoppedBy(await stage.completionError()),
  },
  {
    id: 'text-flood',
    tries: 'return 4 MB of text, again and again',
    guest: `{ framing: 'none', request: () => null, decode: () => [text('x'.repeat(4 << 20))] }`,
    run: async stage => stoppedBy(await stage.completionError()),
  },
  {
    id: 'log-flood',
    tries: 'log 10,000 lines of 8 kB that look like stack traces',
    guest: `{ models: () => { const line = '    at ' + 'a:1:1:'.repeat(1000) + '('.repeat(1000)
      for (let count = 0; count < 10_000; count++) log('error', line); return [] } }`,
    async run(stage) {
      await stage.models().catch(() => {})
      if (stage.log.length > 500) throw new Error(`${stage.log.length} lines came through`)
      return `${stage.log.length} of 10,000 lines came through`
    },
  },
  {
    id: 'big-tool-input',
    tries: 'have the host parse 8 MB of nested JSON',
    guest: `{ framing: 'none', request: () => null, decode: () => [
      { tag: 'tool-use', val: { id: 'a', name: 'look', input: '[[],'.repeat(2 << 20), isInputComplete: true, thoughtSignature: null } }, stop] }`,
    async run(stage) {
      const { events, error } = await stage.complete()
      if (error !== undefined) return stoppedBy(error)
      const call = events.find(event => event.type === 'tool-use-json-parse-error')
      if (!call) throw new Error('it was parsed')
      return `a tool-use-json-parse-error: ${call.error}`
    },
  },
]
