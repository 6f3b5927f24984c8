import * as z from 'zod'

const variables = z.record(
  z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'is not the name of an environment variable' }),
  z.string(),
)

const timeoutMs = z.int().positive({ error: 'must be more than 0' })

const stdioServer = z.strictObject({
  type: z.literal('stdio').optional(),
  /** A program, found as a shell would find it; no shell runs it. */
  command: z.string().min(1, { error: 'must not be empty' }),
  args: z.array(z.string()).optional(),
  /** All that it gets besides `PATH`, `HOME` and the like. `${NAME}` is filled in from Airlock's own environment. */
  env: variables.optional(),
  cwd: z.string().min(1, { error: 'must not be empty' }).optional(),
  /** Longest that one call may take without a sign of progress, ms. Default: 120,000. */
  timeoutMs: timeoutMs.optional(),
})

const httpServer = z.strictObject({
  type: z.enum(['http', 'streamable-http']).optional(),
  /** Where it speaks streamable HTTP. */
  url: z.string().superRefine((text, context) => {
    const url = URL.parse(text)
    const isHttp = /^https?:$/.test(url?.protocol ?? '')
    const hasUser = url !== null && (url.username !== '' || url.password !== '')
    if (isHttp && !hasUser) return
    const message = isHttp
      ? 'must hold no user name and no password: put them into headers'
      : 'must be a URL that begins with http:// or https://'
    context.addIssue({ code: 'custom', message, input: hasUser ? '...' : text })
  }),
  /** Sent with each request, and to no other origin. `${NAME}` is filled in from Airlock's own environment. */
  headers: z.record(z.string(), z.string()).optional(),
  timeoutMs: timeoutMs.optional(),
})

/** One MCP server: a program that is started, or an address. */
export const mcpServerSettings = z.union([stdioServer, httpServer])

/** Short, since it begins the name of each of its tools. */
export const mcpServerName = z.string().regex(/^[A-Za-z0-9_.-]{1,40}$/, {
  error: 'must be a name of 1 to 40 letters, digits, "_", "." and "-"',
})

export type McpServerSettings = z.output<typeof mcpServerSettings>
