import { componentEmbed, componentNew, parse } from '@bytecodealliance/jco-transpile/wasm-tools'

/** The part of the contract that a component made by hand exports: one function is enough to be called. */
const MODELS_WIT = `package airlock:llm@0.1.0;
interface llm-provider {
  enum tool-input-format { json-schema, json-schema-subset, simplified }
  record model-capabilities { supports-images: bool, supports-files: bool, supports-tools: bool, supports-tool-choice-auto: bool,
    supports-tool-choice-any: bool, supports-tool-choice-none: bool, supports-tool-choice-tool: bool,
    supports-parallel-tool-calls: bool, supports-thinking: bool, supports-structured-output: bool, supports-streaming: bool,
    tool-input-format: tool-input-format, max-tools: option<u32> }
  record model-pricing { input: f64, output: f64, cache-read: option<f64>, cache-write: option<f64> }
  record model-info { id: string, name: string, family: option<string>, max-token-count: u64, max-output-tokens: option<u64>,
    capabilities: model-capabilities, pricing: option<model-pricing>, is-default: bool, is-default-fast: bool }
  enum provider-error-kind { authentication, permission, rate-limited, quota-exhausted, overloaded, context-length-exceeded,
    model-not-found, content-filtered, invalid-request, unsupported, network, other }
  record provider-error { kind: provider-error-kind, message: string, status: option<u16>, code: option<string>, retry-after-ms: option<u64> }
}
interface provider {
  use llm-provider.{model-info, provider-error};
  models: func(provider-id: string) -> result<list<model-info>, provider-error>;
}
world hostile { export provider; }
`

interface Handmade {
  wit?: string
  memory?: string
  /** Beside memory and functions: types, tables, a start function. */
  fields?: string
}

/** A component whose `models` is this body, which leaves the address of a result on the stack. */
export async function handmade(
  body: string,
  { wit = MODELS_WIT, memory = '(memory (export "memory") 16)', fields = '' }: Handmade = {},
) {
  const core = await parse(`(module ${fields} ${memory}
    (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) i32.const 4096)
    (func (export "airlock:llm/provider@0.1.0#models") (param i32 i32) (result i32) ${body}))`)
  return componentNew(await componentEmbed({ binary: core, witSource: wit, world: 'hostile' }))
}
