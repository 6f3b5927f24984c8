import { createAirlock } from '../../../host/index.ts'
import { createTestHome, openaiCompatible } from '../../support/home.ts'
import { type Attack, stoppedBy } from '../attack.ts'
import type { Stage } from '../stage.ts'

/** A completion that the guest answers itself, and that must fail. */
const failing = (id: string, tries: string, decode: string): Attack => ({
  id,
  tries,
  guest: `{ framing: 'none', request: () => null, ${decode} }`,
  run: async stage => stoppedBy(await stage.completionError()),
})

/** A list of models that must fail, and a completion after it that must not. */
const failingList = (id: string, tries: string, guest: string): Attack => ({
  id,
  tries,
  guest,
  async run(stage) {
    const stopped = await stage.models().then(
      () => Promise.reject(new Error('it went through')),
      (error: unknown) => stoppedBy(error),
    )
    stage.answers({ body: ['data: 1\n\n'] })
    const { error } = await stage.complete()
    if (error !== undefined) throw new Error('the next call failed', { cause: error })
    return stopped
  },
})

async function toolInput(stage: Stage): Promise<Record<string, unknown>> {
  const { events, error } = await stage.complete()
  if (error !== undefined) throw error
  const call = events.find(event => event.type === 'tool-use')
  if (!call) throw new Error('there is no call')
  return JSON.parse(call.input) as Record<string, unknown>
}

export const contractAttacks: Attack[] = [
  failingList('promise', 'return a promise', '{ models: async () => [] }'),
  failing('promise-events', 'return a promise of events', 'decode: async () => [stop]'),
  failingList(
    'throw',
    'throw what is no error of the contract',
    `{ models: () => { throw new Error('x'.repeat(100_000)) } }`,
  ),
  failingList('throw-nothing', 'throw undefined, null and a number', '{ models: () => { throw undefined } }'),
  failing('throw-decode', 'throw in decode', 'decode: () => { throw null }'),
  failing(
    'throw-getter',
    'throw while its answer is read',
    `decode: () => [{ get tag() { throw new Error('no') } }]`,
  ),
  {
    id: 'throw-finish',
    tries: 'throw in finish, and in reject',
    guest: `{ decode: () => [text('a')], finish: () => { throw new Error('no') }, reject: () => { throw new Error('no') } }`,
    async run(stage) {
      stage.answers({ body: ['data: 1\n\n'] })
      stoppedBy(await stage.completionError())
      stage.answers({ status: 500, body: ['no'] })
      return stoppedBy(await stage.completionError())
    },
  },
  failingList('wrong-types', 'return a number where a list belongs', '{ models: () => 5 }'),
  failing('wrong-event', 'return events of no kind', `decode: () => [{ tag: '__proto__', val: 'x' }]`),
  failing('after-stop', 'go on after stop', `decode: () => [stop, text('more')]`),
  failing(
    'after-failure',
    'go on after it said that it failed',
    `decode: () => [text('a'), { tag: 'failed', val: failure('x') }, text('b')]`,
  ),
  {
    id: 'no-stop',
    tries: 'end without saying why',
    guest: `{ decode: () => [text('a')], finish: () => [] }`,
    async run(stage) {
      stage.answers({ body: ['data: 1\n\n'] })
      return stoppedBy(await stage.completionError())
    },
  },
  {
    id: 'wrong-order',
    tries: 'send the events of a stream in the wrong order, twice',
    guest: `{ framing: 'none', request: () => null, decode: () => [{ tag: 'usage', val: { inputTokens: 2 ** 53, outputTokens: 0,
      cacheCreationInputTokens: null, cacheReadInputTokens: null, reasoningTokens: null, totalTokens: null } }, text('a'), { tag: 'started' }, { tag: 'started' },
      { tag: 'tool-use', val: { id: 'a', name: 'x', input: '{}', isInputComplete: true, thoughtSignature: null } },
      { tag: 'tool-use', val: { id: 'a', name: 'x', input: '{}', isInputComplete: true, thoughtSignature: null } }, stop] }`,
    async run(stage) {
      const { events, error } = await stage.complete()
      if (error !== undefined) throw error
      const types = events.map(event => event.type).join(' ')
      if (types !== 'started text tool-use tool-use usage stop') throw new Error(`the caller saw ${types}`)
      const [first, second] = events.filter(event => event.type === 'tool-use')
      if (first!.id === second!.id) throw new Error('two calls have one id')
      return `the caller sees ${types}`
    },
  },
  {
    id: 'drop-own',
    tries: 'use its resource after it has let go of it, and return one resource twice',
    guest: `{ startCompletion(id, model) { const attack = attacks['drop-own']
      if (attack.kept === undefined) attack.kept = new Hostile(id, {})
      else if (Symbol.dispose in attack.kept) attack.kept[Symbol.dispose]()
      return { request: get(service(id)), framing: 'whole', completion: attack.kept } } }`,
    async run(stage) {
      stage.answers({ body: ['data: 1\n\n'] })
      await stage.complete()
      for (let time = 0; time < 2; time++) {
        const { error } = await stage.complete()
        if (error !== undefined) return stoppedBy(error)
      }
      return 'its own instance alone is concerned: the answers ended well'
    },
  },
  {
    id: 're-entrancy',
    tries: 'be called again while one of its calls waits for the host',
    guest: `{ models: id => { const before = attacks['re-entrancy'].count = (attacks['re-entrancy'].count ?? 0) + 1
      outcome(() => fetch(get(service(id)))); return report(attacks['re-entrancy'].count === before ? 'alone' : 'entered') } }`,
    async run(stage) {
      stage.answers({ body: ['x'] })
      const lists = await Promise.all(Array.from({ length: 3 }, () => stage.models()))
      if (lists.flat().some(model => model.name !== 'alone')) throw new Error('a waiting guest was entered')
      return 'a waiting instance is given nothing new'
    },
  },
  {
    id: 'proto-arguments',
    tries: 'reach Object.prototype through the arguments of a call',
    guest: `{ framing: 'none', request: () => null, decode: () => [{ tag: 'tool-use', val: { id: '__proto__', name: 'constructor',
      input: '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}', isInputComplete: true, thoughtSignature: null } }, stop] }`,
    async run(stage) {
      const input = await toolInput(stage)
      if (!Object.hasOwn(input, '__proto__')) throw new Error('the arguments were changed')
      if ('polluted' in {}) throw new Error('Object.prototype was changed')
      return 'arguments stay the text that they are'
    },
  },
  {
    id: 'proto-service',
    tries: 'have the service send __proto__ everywhere, through an honest extension',
    guest: '{}',
    async run(stage) {
      const evil = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'
      const call = {
        index: 0,
        id: '__proto__',
        type: 'function',
        function: { name: 'constructor', arguments: evil },
      }
      const delta = JSON.stringify({ content: 'a', tool_calls: [call] }).replace(/}$/, `,${evil.slice(1)}`)
      stage.answers({
        body: [
          `data: {"id":"1","choices":[{"index":0,"delta":${delta},"finish_reason":"tool_calls"}],${evil.slice(1)}\n\n`,
          'data: [DONE]\n\n',
        ],
      })
      await using home = await createTestHome({ extensions: [], serviceUrl: stage.service.url })
      await using airlock = await createAirlock({ home: home.folder, env: {}, isolation: stage.isolation })
      await airlock.load(openaiCompatible)
      const answer = airlock.complete({
        model: 'openai-compatible/m',
        messages: [{ role: 'user', content: 'Go.' }],
      })
      const { toolUses } = await answer.result()
      if ('polluted' in {}) throw new Error('Object.prototype was changed')
      if (toolUses[0]?.input !== evil) throw new Error('the arguments were changed')
      return 'no key of JSON becomes a property of the host'
    },
  },
]
