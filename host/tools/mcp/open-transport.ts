import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { McpServerSettings } from '../../home/mcp-settings.ts'
import { boundedFetch } from './bounded-fetch.ts'

/** Largest message from a server, bytes: an image of 10 MB in base64. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024

/** How long a server has to let go of its session, ms. */
const END_MS = 500

export interface OpenTransport {
  transport: Transport
  /** Ends it, and the program behind it. */
  close(): Promise<void>
}

export interface TransportEvents {
  /** A line that the program wrote to standard error. */
  line(text: string): void
  /** An answer broke off, and will not come again. */
  broken(error: Error): void
}

/** Only made here, not started: the client does that. */
export async function openTransport(
  settings: McpServerSettings,
  /** Variables of the program, or headers. */
  values: Readonly<Record<string, string>>,
  events: TransportEvents,
): Promise<OpenTransport> {
  return 'command' in settings ? openProgram(settings, values, events) : openHttp(settings, values, events)
}

async function openProgram(
  { command, args = [], cwd }: Extract<McpServerSettings, { command: string }>,
  env: Readonly<Record<string, string>>,
  { line }: TransportEvents,
): Promise<OpenTransport> {
  const { createStdioTransport } = await import('./stdio-transport.ts')
  const transport = createStdioTransport({
    command,
    args,
    cwd,
    env,
    maxMessageBytes: MAX_MESSAGE_BYTES,
    line,
  })
  return { transport, close: () => transport.close() }
}

async function openHttp(
  { url }: Extract<McpServerSettings, { url: string }>,
  headers: Readonly<Record<string, string>>,
  { broken }: TransportEvents,
): Promise<OpenTransport> {
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js')
  // A redirect to another origin is not followed, so the headers go nowhere else.
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    fetch: boundedFetch({ maxMessageBytes: MAX_MESSAGE_BYTES, broken }),
  })
  return {
    // Its types do not know exactOptionalPropertyTypes.
    transport: transport as Transport,
    async close() {
      // So that the server can let go of the session; one that does not answer is not waited for.
      const told = transport.terminateSession().catch(() => {})
      await Promise.race([told, new Promise(resolve => setTimeout(resolve, END_MS).unref())])
      await transport.close()
    },
  }
}
