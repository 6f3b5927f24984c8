import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  CallToolRequestSchema,
  CancelledNotificationSchema,
  ListToolsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'

export interface McpToolsOptions {
  /** Ids of the calls that were cancelled, as they come. */
  cancelled?: (reason: string) => void
}

const object = { type: 'object', properties: {} } as const
const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] })

/** An MCP server of tools that behave in every way there is, made with the SDK. */
export function createMcpTools({ cancelled = () => {} }: McpToolsOptions = {}): Server {
  const server = new Server(
    { name: 'test', version: '1.0.0' },
    { capabilities: { tools: { listChanged: true } } },
  )
  let hasMore = false

  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
    if (params?.cursor === 'two')
      return {
        tools: [
          { name: 'die', inputSchema: object },
          { name: 'hang', inputSchema: object },
          { name: 'huge', inputSchema: object },
          { name: 'env', inputSchema: object },
          { name: 'grow', inputSchema: object },
          { name: 'refuse', inputSchema: object },
          { name: 'crash', description: 'Breaks', inputSchema: object },
          ...(hasMore ? [{ name: 'more', description: 'New', inputSchema: object }] : []),
        ],
      }
    return {
      nextCursor: 'two',
      tools: [
        {
          name: 'echo',
          title: 'Echo',
          description: 'Says it again',
          inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
          annotations: { readOnlyHint: true },
        },
        { name: 'say.it/loud', description: 'A name that no service takes', inputSchema: object },
        { name: 'say_it_loud', description: 'What that becomes', inputSchema: object },
        { name: 'everything', description: 'Each kind of content', inputSchema: object },
        { name: 'structured', description: 'Structured content', inputSchema: object },
      ],
    }
  })

  server.setNotificationHandler(CancelledNotificationSchema, ({ params }) => cancelled(String(params.reason)))

  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    switch (params.name) {
      case 'echo':
        process.stderr.write(`echoing with ${process.env.SECRET_TOKEN}\n`)
        return text(String(params.arguments?.text))
      case 'say.it/loud':
      case 'say_it_loud':
        return text(params.name)
      case 'everything':
        return {
          content: [
            { type: 'text', text: 'words' },
            { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
            { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' },
            { type: 'resource_link', uri: 'file:///notes.txt', name: 'notes', description: 'My notes' },
            { type: 'resource', resource: { uri: 'file:///a.md', mimeType: 'text/markdown', text: '# A' } },
            { type: 'resource', resource: { uri: 'file:///a.bin', blob: 'AAEC' } },
          ],
        }
      case 'structured':
        return {
          ...text('{ "celsius": 21, "sky": ["clear"] }'),
          structuredContent: { celsius: 21, sky: ['clear'] },
        }
      case 'refuse':
        return { ...text('there is no such city'), isError: true }
      case 'crash':
        throw new Error('the database is gone')
      case 'die':
        process.stderr.write('fatal: out of luck\n')
        return process.exit(3)
      case 'hang':
        return new Promise(() => {})
      case 'huge':
        return text('x'.repeat(17 * 1024 * 1024))
      case 'env':
        return text(JSON.stringify(process.env))
      case 'grow':
        hasMore = true
        await server.sendToolListChanged()
        return text('grown')
      default:
        throw new Error(`no tool ${params.name}`)
    }
  })
  return server
}
