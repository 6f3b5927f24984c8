import * as z from 'zod'
import { describeIssue } from '../../contract/describe-issue.ts'
import { raced } from '../../contract/raced.ts'
import { createRegistration } from '../../contract/registration.ts'
import { createRedactionList } from '../../credentials/redact.ts'
import { AirlockError, InvalidOptionError } from '../../errors.ts'
import { type McpServerSettings, mcpServerName, mcpServerSettings } from '../../home/mcp-settings.ts'
import { createGuestLog } from '../../sandbox/guest-log.ts'
import { createHoldBack } from '../../sandbox/hold-back.ts'
import { toModelNames } from '../model-names.ts'
import type { Tool } from '../tool.ts'
import type { ToolResult } from '../tool-result.ts'
import type { SourceTool, ToolSource } from '../tool-source.ts'
import { type Connection, connect } from './connection.ts'
import { fillVariables } from './fill-variables.ts'
import { listMcpTools, type McpTool } from './list-tools.ts'
import { openTransport } from './open-transport.ts'
import { readMcpResult } from './read-result.ts'

/** An MCP server: a program that is started when it is first needed, or an address that speaks streamable HTTP. */
export type McpServerDefinition = {
  /** Its tools are called `<name>_<tool>`. Letters, digits, `_`, `.` and `-`, at most 40. */
  name: string
} & McpServerSettings

export interface McpServerOptions {
  /** Where `${NAME}` in `env` and `headers` comes from. Default: nothing. */
  env?: NodeJS.ProcessEnv
  /** What the server writes to standard error, and what becomes of it; secrets removed. Default: dropped. */
  log?: (level: 'info' | 'warn', message: string) => void
}

const CALL_MS = 120_000
/** Deaths within a minute before it is held back. */
const DEATHS = 5
const LOG_LINES_PER_SECOND = 50
const MAX_REASON_UNITS = 1_000

// As the SDK has them: no answer in time, and a connection that closed before the answer.
const TIMED_OUT = -32001
const CLOSED = -32000
// It is looked at here: what is no result says nothing of the connection.
const anything = z.looseObject({})
const definition = z.object({ name: mcpServerName })

/**
 * The tools of an MCP server, for `airlock.tools.add`. One that dies is started again by the next call.
 * @throws {InvalidOptionError} the definition is not valid, naming what of it
 */
export function mcpServer(given: McpServerDefinition, options: McpServerOptions = {}): ToolSource {
  const { name, settings } = checkDefinition(given)
  const { env = {} } = options
  const { timeoutMs = CALL_MS } = settings
  const secrets = createRedactionList()
  const { redactor } = secrets
  const log = createGuestLog(LOG_LINES_PER_SECOND, lines => {
    for (const { level, message } of lines)
      options.log?.(level === 'warn' ? 'warn' : 'info', redactor.text(message))
  })
  const holdBack = createHoldBack(DEATHS)
  const listeners = new Set<() => void>()
  const life = new AbortController()
  let connecting: Promise<Connection> | undefined
  let starts = 0
  let lastLine = ''

  function failed(problem: string, cause?: unknown): Error {
    return new AirlockError('mcp-server-failed', `The MCP server "${name}" ${redactor.text(problem)}`, {
      cause,
    })
  }

  function ensure(): Promise<Connection> {
    if (life.signal.aborted) return Promise.reject(failed('was closed'))
    const { pauseMs, recentDeaths } = holdBack
    if (!connecting && pauseMs > 0) {
      const seconds = Math.ceil(pauseMs / 1000)
      return Promise.reject(
        failed(`failed ${recentDeaths} times within a minute and is held back for another ${seconds} s`),
      )
    }
    if (connecting) return connecting
    const attempt = begin()
    connecting = attempt
    const forget = () => {
      if (connecting === attempt) connecting = undefined
    }
    attempt.then(({ over }) => over.then(forget), forget)
    return attempt
  }

  async function begin(): Promise<Connection> {
    const values = fill()
    for (const value of Object.values(values)) secrets.add(value)
    lastLine = ''
    let connection: Connection
    try {
      connection = await connect({
        open: ({ broken }) => openTransport(settings, values, { line, broken }),
        changed,
        signal: life.signal,
      })
    } catch (error) {
      if (!life.signal.aborted) holdBack.record()
      throw failed(`cannot be ${'command' in settings ? 'started' : 'reached'}: ${explain(error)}`, error)
    }
    void connection.over.then(reason => {
      if (reason === undefined || life.signal.aborted) return
      holdBack.record()
      log.add({ level: 'warn', message: `it ended: ${withLastLine(reason)}` })
    })
    // One that was started anew may have other tools than it had.
    if (++starts > 1) changed()
    return connection
  }

  function fill(): Record<string, string> {
    const [texts = {}, where] = 'command' in settings ? [settings.env, 'env'] : [settings.headers, 'headers']
    try {
      return fillVariables(texts, env, `mcpServers.${name}.${where}`)
    } catch (error) {
      throw failed(`cannot be started: ${explain(error)}`, error)
    }
  }

  function line(text: string) {
    lastLine = text
    log.add({ level: 'info', message: text })
  }

  function changed() {
    for (const listener of [...listeners]) listener()
  }

  function withLastLine(reason: string): string {
    return lastLine === '' ? reason : `${reason} (it said: ${lastLine})`
  }

  function explain(error: unknown): string {
    return withLastLine(textOf(error))
  }

  async function list(): Promise<SourceTool[]> {
    const { client } = await ensure()
    const listed = await listMcpTools(client).catch(error => {
      throw failed(`cannot list its tools: ${textOf(error)}`, error)
    })
    const idOf = (tool: McpTool) => `${name}_${tool.name}`
    const names = toModelNames(listed.flatMap(tool => (tool instanceof Error ? [] : idOf(tool))))
    const seen = new Set<string>()
    return listed.map((listed, index): SourceTool => {
      if (listed instanceof Error) return { id: `${name}_${index}`, tool: listed }
      const id = names.nameOf(idOf(listed))
      const isFirst = !seen.has(id)
      seen.add(id)
      return { id, tool: isFirst ? toTool(listed) : failed(`lists two tools "${listed.name}"`) }
    })
  }

  function toTool({ name: tool, title, description, inputSchema, readOnly }: McpTool): Tool {
    return {
      ...(title !== undefined && { displayName: title }),
      description: description ?? title ?? `"${tool}" of ${name}`,
      inputSchema,
      readOnly,
      invoke: ({ parameters }, signal) => call(tool, parameters, signal),
    }
  }

  async function call(
    tool: string,
    parameters: unknown,
    signal: AbortSignal,
    again = false,
  ): Promise<ToolResult> {
    const connection = await raced(ensure(), signal)
    let answer: unknown
    try {
      answer = await connection.client.request(
        { method: 'tools/call', params: { name: tool, arguments: parameters as Record<string, unknown> } },
        anything,
        // Aborting tells the server.
        { signal, timeout: timeoutMs, resetTimeoutOnProgress: true, onprogress: () => {} },
      )
    } catch (error) {
      if (signal.aborted) throw signal.reason
      if (isSessionLost(error) && !again) {
        // It never got this far: a new session is begun, and the call made there.
        await connection.close()
        return call(tool, parameters, signal, true)
      }
      throw await whyFailed(error, connection)
    }
    try {
      return readMcpResult(answer)
    } catch (error) {
      throw failed(`answered with what cannot be used: ${textOf(error)}`, error)
    }
  }

  async function whyFailed(error: unknown, connection: Connection): Promise<Error> {
    if (!isProtocolError(error)) {
      connection.fail(error instanceof Error ? error : new Error(String(error)))
      return failed(`cannot be reached: ${textOf(error)}`, error)
    }
    if (error.code === TIMED_OUT)
      return failed(
        `did not answer within ${timeoutMs / 1000} s: timeoutMs of mcpServers.${name} sets how long it may take`,
        error,
      )
    if (error.code !== CLOSED) return failed(`refused the call: ${textOf(error)}`, error)
    const reason = (await connection.over) ?? 'it was closed'
    return failed(`ended during the call: ${withLastLine(reason)}; the next call starts it again`, error)
  }

  return {
    name: `mcp:${name}`,
    list,
    onDidChange(listener) {
      const own = () => listener()
      listeners.add(own)
      return createRegistration(() => listeners.delete(own))
    },
    async close() {
      life.abort(failed('was closed'))
      const connection = await connecting?.catch(() => undefined)
      await connection?.close()
      log.flush()
    },
  }
}

function isProtocolError(error: unknown): error is Error & { code: number } {
  return error instanceof Error && error.name === 'McpError' && 'code' in error
}

/** A server that was started anew does not know the session: 404 says so, and some servers say 400. */
function isSessionLost(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error) || isProtocolError(error)) return false
  return error.code === 404 || (error.code === 400 && /session/i.test(error.message))
}

function checkDefinition(given: McpServerDefinition): { name: string; settings: McpServerSettings } {
  const { name, ...settings } = given
  const schema = definition.and(z.object({ settings: mcpServerSettings }))
  const parsed = schema.safeParse({ name, settings }, { reportInput: true })
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const options = { whole: 'it', repeatsValues: false }
  throw new InvalidOptionError(
    `Cannot use this MCP server: ${issue ? describeIssue(issue, schema, options).replaceAll('settings.', '') : 'it is not valid'}`,
  )
}

/** With what is behind "fetch failed". */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const message = error.message.replace(/^MCP error -?\d+: /, '')
  const cause = error.cause instanceof Error && error.cause.message !== '' ? `: ${error.cause.message}` : ''
  return `${message}${cause}`.slice(0, MAX_REASON_UNITS)
}
