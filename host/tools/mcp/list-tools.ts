import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import * as z from 'zod'

/** A tool as its server describes it. */
export interface McpTool {
  /** The server's own name for it. */
  name: string
  title?: string
  description?: string
  inputSchema: Record<string, unknown>
  readOnly: boolean
}

// Bounds on what a server may make this process hold, and a model read.
const MAX_PAGES = 100
const MAX_TOOLS = 1_000
const MAX_NAME_UNITS = 256
const MAX_DESCRIPTION_UNITS = 32_768
const MAX_SCHEMA_UNITS = 262_144
const LIST_MS = 30_000

// Looser than the SDK's: one tool that does not fit must not hide the others.
const page = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().nullish() })

const schema = z
  .record(z.string(), z.unknown())
  .refine(value => JSON.stringify(value).length <= MAX_SCHEMA_UNITS, {
    error: `has more than ${MAX_SCHEMA_UNITS} characters`,
  })

const tool = z.object({
  name: z.string().min(1).max(MAX_NAME_UNITS),
  title: z.string().max(200).nullish(),
  description: z.string().max(MAX_DESCRIPTION_UNITS).nullish(),
  inputSchema: schema,
  annotations: z
    .object({
      title: z.string().max(200).optional().catch(undefined),
      readOnlyHint: z.boolean().catch(false),
    })
    .partial()
    .nullish()
    .catch(undefined),
})

/** All tools, page by page. What does not fit is an error in its place. @throws what the server answered */
export async function listMcpTools(client: Client): Promise<(McpTool | Error)[]> {
  // A server that has prompts or resources alone is asked for nothing.
  if (!client.getServerCapabilities()?.tools) return []
  const found: (McpTool | Error)[] = []
  const cursors = new Set<string>()
  let cursor: string | undefined
  do {
    const params = cursor === undefined ? {} : { cursor }
    const { tools, nextCursor } = await client.request({ method: 'tools/list', params }, page, {
      timeout: LIST_MS,
    })
    found.push(...tools.map((one, index) => readTool(one, found.length + index + 1)))
    if (found.length > MAX_TOOLS) throw new Error(`it lists more than ${MAX_TOOLS} tools`)
    cursor = nextCursor ?? undefined
    if (cursor !== undefined && cursors.has(cursor))
      throw new Error('its list of tools has no end: a page came twice')
    if (cursor !== undefined) cursors.add(cursor)
  } while (cursor !== undefined && cursors.size < MAX_PAGES)
  return found
}

function readTool(value: unknown, position: number): McpTool | Error {
  const parsed = tool.safeParse(value)
  if (!parsed.success) {
    const { name } = z
      .object({ name: z.string() })
      .catch({ name: `number ${position}` })
      .parse(value)
    const [issue] = parsed.error.issues
    const where = issue?.path.join('.') || 'its description'
    return new Error(`Cannot offer the tool "${name.slice(0, MAX_NAME_UNITS)}": ${where}: ${issue?.message}`)
  }
  const { name, title, description, inputSchema, annotations } = parsed.data
  const shown = title ?? annotations?.title
  return {
    name,
    ...(shown && { title: shown }),
    ...(description && { description }),
    // Servers leave it out for tools without parameters.
    inputSchema: 'type' in inputSchema ? inputSchema : { type: 'object', ...inputSchema },
    readOnly: annotations?.readOnlyHint ?? false,
  }
}
