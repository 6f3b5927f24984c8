import { join } from 'node:path'
import { airlock as cli } from '../../support/cli.ts'
import { createTestHome } from '../../support/home.ts'
import { type Attack, stoppedBy } from '../attack.ts'
import { buildHostile } from '../build-hostile.ts'

/** Clears the screen, sets the clipboard, rings, starts a C1 sequence, turns the reading direction, hides in HTML. */
const EVIL =
  'x\\u001b[2J\\u001b]52;c;ZXZpbA==\\u0007\\u009b31m\\u007f\\u0008\\u202e<script>alert(1)</script>\\r\\ny'
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/

const map = (content: object) => ({ 'hostile.wasm.map': JSON.stringify(content) })
const stackLog = `{ models: () => { log('error', 'Error: no\\n    at f (user.js:1:1)\\n    at g (user.js:1:9)'); return [] } }`

export const textAttacks: Attack[] = [
  {
    id: 'terminal',
    tries: 'send control characters to the terminal, as names of models, answers and errors',
    guest: `{ models: () => report('${EVIL}', 'm'),
      framing: 'none', request: () => null,
      startCompletion(id, model, ...rest) { if (model === 'fails') throw { ...failure('${EVIL}'), code: '${EVIL}' }
        return provider0.startCompletion(id, model, ...rest) },
      decode: () => [text('${EVIL}'), { tag: 'tool-use', val: { id: '${EVIL}', name: '${EVIL}', input: '{}', isInputComplete: true, thoughtSignature: null } }, stop] }`,
    async run(stage) {
      // The command line starts sandboxes as its settings say: once is enough.
      if (stage.isolation === 'process') return 'see thread'
      const extension = await buildHostile(this, join(stage.folder, 'installed'), stage.canary)
      await using home = await createTestHome({ extensions: [extension] })
      for (const args of [
        ['models'],
        ['complete', '-m', 'terminal/m', 'hi'],
        ['complete', '-m', 'terminal/fails', 'hi'],
      ]) {
        const { stdout, stderr } = await cli(args, { env: home.env })
        if (stdout + stderr === '') throw new Error('nothing was printed')
        if (CONTROL.test(stdout + stderr)) throw new Error(`a control character was printed by ${args[0]}`)
      }
      return 'what is printed is inert: ␛[2J'
    },
  },
  {
    id: 'map-lies',
    tries: 'name secret files and forge log lines through its source map',
    files: map({
      version: 3,
      names: [],
      sources: ['../../../etc/passwd\n2026-01-01 [host] all is well\u001b[2J', `${'a/'.repeat(5_000)}b`],
      mappings: 'AAAA,QCAA',
    }),
    guest: stackLog,
    async run(stage) {
      await stage.models()
      const message = await stage.logged('Error: no')
      const lines = message.split('\n')
      if (lines.length !== 3 || CONTROL.test(message) || message.length > 1_000)
        throw new Error(`it wrote ${message}`)
      return `a word of one line: ${lines[1]!.trim()}`
    },
  },
  {
    id: 'map-huge',
    tries: 'have the host read a source map of four million lines',
    files: {
      'hostile.wasm.map': JSON.stringify({
        version: 3,
        names: [],
        sources: ['a'],
        mappings: ';'.repeat(4 << 20),
      }),
    },
    guest: stackLog,
    async run(stage) {
      await stage.models()
      await stage.logged('Error: no')
      return 'it is read in a thread of its own'
    },
  },
  {
    id: 'map-nonsense',
    tries: 'bring a source map that is none',
    files: { 'hostile.wasm.map': '[[[['.repeat(100_000) },
    guest: stackLog,
    async run(stage) {
      await stage.models()
      return `the trace stays as it is: ${(await stage.logged('Error: no')).split('\n')[1]!.trim()}`
    },
  },
  {
    id: 'long-names',
    tries: 'give a model a name of a megabyte',
    guest: `{ models: () => [{ ...report('x')[0], name: 'x'.repeat(1 << 20) }] }`,
    run: stage =>
      stage.models().then(
        () => Promise.reject(new Error('it went through')),
        (error: unknown) => stoppedBy(error),
      ),
  },
]
