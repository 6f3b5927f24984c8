import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { OpenTransport } from './open-transport.ts'

/** A package that is fetched before it runs takes this long on a slow line. */
const START_MS = 60_000

export interface Connection {
  readonly client: Client
  /** Settles when it is over, with what is known of why; undefined where it was closed. */
  readonly over: Promise<string | undefined>
  /** Ends it, for this reason. */
  fail(error: Error): void
  close(): Promise<void>
}

export interface ConnectOptions {
  open(events: { broken(error: Error): void }): Promise<OpenTransport>
  /** The server has other tools now. */
  changed(): void
  /** Gives up, where it has not come about by then. */
  signal: AbortSignal
}

/** Starts the server, or reaches it, and agrees with it on the protocol. @throws what kept it from that */
export async function connect({ open, changed, signal }: ConnectOptions): Promise<Connection> {
  const [{ Client }, { ToolListChangedNotificationSchema }] = await Promise.all([
    import('@modelcontextprotocol/sdk/client/index.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ])
  const over = Promise.withResolvers<string | undefined>()
  let lastError: Error | undefined
  let failed = false
  let closing: Promise<void> | undefined
  const opened = await open({ broken: fail })
  const { transport } = opened

  const client = new Client(
    { name: 'airlock', version: '0.1.0' },
    {
      capabilities: {},
      // Schemas for results come from a stranger, and the SDK's validator would make code of them: results are checked
      // here, by what they may be at all.
      jsonSchemaValidator: {
        getValidator: () => data => ({ valid: true, data: data as never, errorMessage: undefined }),
      },
    },
  )
  client.onerror = error => {
    lastError = error
  }
  client.onclose = () => over.resolve(why(lastError))
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => changed())

  function fail(error: Error) {
    if (closing) return
    failed = true
    lastError = error
    void close().catch(() => {})
  }

  function close(): Promise<void> {
    // At once: what is called from now on begins another.
    over.resolve(failed ? why(lastError) : undefined)
    closing ??= opened.close()
    return closing
  }

  try {
    await client.connect(transport, { timeout: START_MS, signal })
  } catch (error) {
    await close().catch(() => {})
    throw lastError && isClosed(error) ? new Error(why(lastError), { cause: error }) : error
  }
  return { client, over: over.promise, fail, close }
}

/** JSON-RPC's code for a connection that closed before the answer, as the SDK has it. */
function isClosed(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === -32000
}

function why(error: Error | undefined): string {
  return error?.message ?? 'it ended'
}
