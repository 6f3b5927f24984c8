import { componentEmbed, componentNew, parse } from '@bytecodealliance/jco-transpile/wasm-tools'
import { type Attack, stoppedBy } from '../attack.ts'
import { handmade } from '../handmade.ts'
import type { Stage } from '../stage.ts'

/** A component with an export of this name in its core module, and such a `models`. */
const named = (name: string, extra = '') =>
  parse(`(component
    (core module $m (func (export "${name}") (result i32) i32.const 1))
    (core instance $i (instantiate $m))
    (func $f (result u32) (canon lift (core func $i "${name}")))
    (instance $p (export "models" (func $f)) ${extra})
    (export "airlock:llm/provider@0.1.0" (instance $p)))`)

const LIST = 1024
const MODEL_BYTES = 144

async function refused(stage: Stage): Promise<string> {
  const stopped = await stage.models().then(
    models => Promise.reject(new Error(`it was loaded: ${JSON.stringify(models).slice(0, 200)}`)),
    (error: unknown) => stoppedBy(error),
  )
  if ('escaped' in globalThis) throw new Error('code of the component ran outside of it')
  return stopped
}

const refusing = (id: string, tries: string, component: () => Promise<Uint8Array>): Attack => ({
  id,
  tries,
  component,
  run: refused,
})

// What would run if a name were written into JavaScript as it is: it marks the thread that it runs in and ends it.
const CODE = 'globalThis.escaped=1;globalThis.process.exit(7)'

const wants = (name: string, func: string) => () =>
  parse(`(component
    (import "${name}" (instance $w (export "${func}" (func (result u32)))))
    (alias export $w "${func}" (func $wanted))
    (core func $lowered (canon lower (func $wanted)))
    (core module $m (import "w" "f" (func $f (result i32))) (func (export "f") (result i32) (call $f)))
    (core instance $i (instantiate $m (with "w" (instance (export "f" (func $lowered))))))
    (func $f (result u32) (canon lift (core func $i "f")))
    (instance $p (export "models" (func $f)))
    (export "airlock:llm/provider@0.1.0" (instance $p)))`)

/** Answers itself with a stop, and never returns from letting go of its resource. */
async function loopingDestructor() {
  const provider = 'airlock:llm/provider@0.1.0'
  const core = await parse(`(module
    (import "[export]${provider}" "[resource-new]completion" (func $new (param i32) (result i32)))
    (memory (export "memory") 1)
    (data (i32.const 64) "\\01\\00")
    (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) i32.const 4096)
    (func (export "${provider}#start-completion") (param i32 i32 i32 i32) (result i32)
      (i32.store8 (i32.const 16) (i32.const 4)) (i32.store (i32.const 20) (call $new (i32.const 1))) (i32.const 16))
    (func (export "${provider}#[method]completion.decode") (param i32 i32 i32) (result i32)
      (i32.store (i32.const 32) (i32.const 64)) (i32.store (i32.const 36) (i32.const 1)) (i32.const 32))
    (func (export "${provider}#[dtor]completion") (param i32) (loop $l (br $l))))`)
  const witSource = `package airlock:llm@0.1.0; interface provider {
    enum framing { server-sent-events, lines, whole, bytes, none }
    enum stop-reason { end-turn }
    variant completion-event { started, stop(stop-reason) }
    resource completion { decode: func(frames: list<u8>) -> list<completion-event>; }
    record started-completion { framing: framing, completion: completion }
    start-completion: func(provider-id: string, model-id: string) -> started-completion;
  } world hostile { export provider; }`
  return componentNew(await componentEmbed({ binary: core, witSource, world: 'hostile' }))
}

export const componentAttacks: Attack[] = [
  refusing(
    'wasi-filesystem',
    'import wasi:filesystem',
    wants('wasi:filesystem/preopens@0.2.0', 'get-directories'),
  ),
  refusing(
    'wasi-sockets',
    'import wasi:sockets',
    wants('wasi:sockets/instance-network@0.2.0', 'instance-network'),
  ),
  refusing(
    'wasi-environment',
    'import wasi:cli/environment and exit',
    wants('wasi:cli/environment@0.2.0', 'get-environment'),
  ),
  refusing('wasi-http', 'import wasi:http', wants('wasi:http/outgoing-handler@0.2.0', 'handle')),
  refusing('names-quote', 'end a string of the generated JavaScript with a quote in an export', () =>
    named(`a'];${CODE};['b`),
  ),
  refusing('names-newline', 'do the same with a line break', () => named(`a\\0a${CODE}//`)),
  refusing('names-backslash', 'do the same with a backslash', () => named(`a\\5c`)),
  refusing('names-backtick', 'do the same with a backtick', () => named(`\`\${${CODE}}`)),
  refusing('names-proto', 'be called __proto__', () => named('__proto__')),
  refusing('names-import', 'do the same in the name of an import', () =>
    parse(`(component
      (core module $n (func (export "f") (result i32) i32.const 1))
      (core instance $j (instantiate $n))
      (core module $m (import "a': 0, get b() { ${CODE} }, 'c" "d': ${CODE.replaceAll(';', ',')}, 'e" (func (result i32)))
        (func (export "g") (result i32) i32.const 1))
      (core instance $i (instantiate $m (with "a': 0, get b() { ${CODE} }, 'c"
        (instance (export "d': ${CODE.replaceAll(';', ',')}, 'e" (func $j "f"))))))
      (func $f (result u32) (canon lift (core func $i "g")))
      (instance $p (export "models" (func $f)))
      (export "airlock:llm/provider@0.1.0" (instance $p)))`),
  ),
  refusing('names-url', 'import a URL with a quote in it', () =>
    parse(`(component (import "url=<https://x/';${CODE}//>" (func)))`),
  ),
  refusing('exports-then', 'export a function called then, which would never let go of who awaits it', () =>
    parse(`(component
      (core module $m (func (export "f") (result i32) i32.const 1))
      (core instance $i (instantiate $m))
      (func $f (result u32) (canon lift (core func $i "f")))
      (instance $p (export "models" (func $f)))
      (export "then" (func $f))
      (export "airlock:llm/provider@0.1.0" (instance $p)))`),
  ),
  refusing('exports-odd', 'call its functions then, eval and constructor', () =>
    named('f', '(export "then" (func $f)) (export "eval" (func $f)) (export "constructor" (func $f))'),
  ),
  refusing('garbage-collected', 'allocate arrays that no memory limit counts', () =>
    handmade('(array.len (array.new_default $a (i32.const 120000000)))', { fields: '(type $a (array i64))' }),
  ),
  refusing('first-memory', 'begin with 1 GB of memory', () =>
    handmade('(i32.const 16)', { memory: '(memory (export "memory") 16384)' }),
  ),
  refusing('many-memories', 'have fifty memories', () =>
    handmade('(i32.const 16)', {
      fields: '',
      memory: `(memory (export "memory") 16) ${'(memory 1)'.repeat(49)}`,
    }),
  ),
  refusing('big-table', 'have a table of two hundred million slots', () =>
    handmade('(i32.const 16)', { fields: '(table 200000000 funcref)' }),
  ),
  refusing('loop-instantiate', 'loop for ever while it is instantiated', () =>
    handmade('(i32.const 16)', { fields: '(func $s (loop $l (br $l))) (start $s)' }),
  ),
  refusing('grow', 'grow its memory past what was granted', () =>
    handmade(
      '(if (i32.ne (memory.grow (i32.const 1100)) (i32.const -1)) (then (return (i32.const 16)))) (unreachable)',
    ),
  ),
  refusing('one-text-many-times', 'return 30 MB of text from two thousand places at once', () =>
    handmade(
      `(local $i i32) (local $p i32)
      (memory.fill (i32.const 8388608) (i32.const 97) (i32.const 30000000))
      (local.set $p (i32.const ${LIST}))
      (loop $l
        (i32.store (i32.add (local.get $p) (i32.const 8)) (i32.const 8388608))
        (i32.store (i32.add (local.get $p) (i32.const 12)) (i32.const 30000000))
        (local.set $p (i32.add (local.get $p) (i32.const ${MODEL_BYTES})))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br_if $l (i32.lt_u (local.get $i) (i32.const 2000))))
      (i32.store (i32.const 24) (i32.const ${LIST})) (i32.store (i32.const 28) (i32.const 2000))
      (i32.const 16)`,
      { memory: '(memory (export "memory") 1000)' },
    ),
  ),
  refusing('own-types', 'export other types than the contract: eight million texts', () =>
    handmade(
      '(i32.store (i32.const 16) (i32.const 1024)) (i32.store (i32.const 20) (i32.const 8000000)) (i32.const 16)',
      {
        wit: 'package airlock:llm@0.1.0; interface provider { models: func(p: string) -> list<string>; } world hostile { export provider; }',
        memory: '(memory (export "memory") 1000)',
      },
    ),
  ),
  {
    id: 'loop-destructor',
    tries: 'loop for ever in the destructor of a completion',
    component: loopingDestructor,
    async run(stage) {
      for (let time = 0; time < 2; time++) {
        const { events, error } = await stage.complete()
        if (error !== undefined) throw error
        if (events.at(-1)?.type !== 'stop') throw new Error('the answer did not end')
        await stage.logged('the destructor of a completion')
        stage.log.length = 0
      }
      return 'its sandbox was stopped, and the next call had a new one'
    },
  },
  refusing('core-module', 'be a core module', async () => Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0)),
]
