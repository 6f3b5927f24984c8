import type { LogLevel } from '../contract/generated/interfaces/airlock-llm-system.js'
import type { Answer, GuestFacts, LogLine } from './protocol.ts'

/** The imports that suspend the guest until the host has answered, as the transpiler names them. */
export const BLOCKING_IMPORTS = [
  'airlock:llm/http-client@0.1.0#fetch',
  'airlock:llm/http-client@0.1.0#fetch-fallible',
  'airlock:llm/http-client@0.1.0#fetch-stream',
  'airlock:llm/http-client@0.1.0#[method]http-response-stream.next-chunk',
  'airlock:llm/llm-provider@0.1.0#store-credential',
  'airlock:llm/llm-provider@0.1.0#delete-credential',
  'airlock:llm/llm-provider@0.1.0#oauth-start-web-auth',
  'airlock:llm/llm-provider@0.1.0#oauth-send-http-request',
  'airlock:llm/llm-provider@0.1.0#oauth-open-browser',
  'airlock:llm/tool-host@0.1.0#count-tokens',
  'airlock:llm/tool-host@0.1.0#invoke-tool',
]

// crypto.getRandomValues refuses more in one call, and so does the contract.
const MAX_RANDOM_BYTES = 65_536
const MAX_LOG_UNITS = 8_192

/** What an instance's imports reach of the sandbox around it. */
export interface ImportContext {
  facts(): GuestFacts
  /** Asks the host and suspends the guest; resolves with the host's answer. */
  wait(name: string, args: unknown[]): Promise<Answer>
  release(handle: number): void
  log(line: LogLine): void
}

/** The import object of one instance: this contract and nothing else. Keys are without the version. */
export function createImports(context: ImportContext): Record<string, unknown> {
  const { facts, wait, release, log } = context

  async function ask(name: string, ...args: unknown[]): Promise<unknown> {
    const answer = await wait(name, args)
    if (answer.ok) return answer.value
    // What jco lowers as the error case of the import's result.
    throw Object.assign(new Error(answer.error), { payload: answer.error })
  }

  class HttpResponseStream {
    readonly #handle: number
    readonly #status: number
    readonly #headers: [string, string][]

    constructor(stream: StreamHead) {
      this.#handle = stream.handle
      this.#status = stream.status
      this.#headers = stream.headers
    }

    status(): number {
      return this.#status
    }

    headers(): [string, string][] {
      return this.#headers
    }

    nextChunk(): Promise<unknown> {
      return ask('next-chunk', this.#handle)
    }

    [Symbol.dispose](): void {
      release(this.#handle)
    }
  }

  return {
    'airlock:llm/system': {
      log: (level: LogLevel, message: string) => log({ level, message: beginningOf(message, MAX_LOG_UNITS) }),
      randomBytes(count: number) {
        if (count > MAX_RANDOM_BYTES)
          throw new RangeError(`random-bytes gives at most ${MAX_RANDOM_BYTES} bytes a call`)
        return crypto.getRandomValues(new Uint8Array(count))
      },
      now: () => BigInt(Date.now()),
    },
    'airlock:llm/http-client': {
      HttpResponseStream,
      fetch: (request: unknown) => ask('fetch', request),
      fetchFallible: (request: unknown) => ask('fetch-fallible', request),
      fetchStream: async (request: unknown) =>
        new HttpResponseStream((await ask('fetch-stream', request)) as StreamHead),
    },
    'airlock:llm/llm-provider': {
      // An import without a result must never throw: jco would hand the guest invented data.
      getCredential: (provider: string) => own(facts().credentials, provider),
      getEnvVar: (name: string) => own(facts().env, name),
      getProviderSettings: (provider: string) => own(facts().settings, provider),
      storeCredential: (provider: string, value: string) => ask('store-credential', provider, value),
      deleteCredential: (provider: string) => ask('delete-credential', provider),
      oauthStartWebAuth: (config: unknown) => ask('oauth-start-web-auth', config),
      oauthSendHttpRequest: (request: unknown) => ask('oauth-send-http-request', request),
      oauthOpenBrowser: (url: string) => ask('oauth-open-browser', url),
    },
    // The world imports its types, and some toolchains then import its functions, too. Whoever calls them means `tool-host`.
    'airlock:llm/tools': {
      tools: () => [],
      invoke() {
        const payload = 'A guest calls other tools with invoke-tool of tool-host'
        throw Object.assign(new Error(payload), { payload })
      },
    },
    'airlock:llm/tool-host': {
      countTokens: (text: string) => ask('count-tokens', text),
      invokeTool: (tool: string, invocation: unknown) => ask('invoke-tool', tool, invocation),
    },
  }
}

/** What the host answers to `fetch-stream`. */
export interface StreamHead {
  handle: number
  status: number
  headers: [string, string][]
}

/** A copy: a slice would keep all of a long message in memory. */
function beginningOf(text: string, units: number): string {
  return text.length <= units ? text : Buffer.from(text.slice(0, units), 'utf16le').toString('utf16le')
}

function own<Value>(record: Record<string, Value>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined
}
