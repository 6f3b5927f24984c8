import * as z from 'zod'

/** What `POST /v1/messages` takes, from its API reference: https://platform.claude.com/docs/en/api/messages/create */
const cache = z
  .strictObject({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).optional() })
  .optional()
const spoken = z.string().refine(text => text.trim() !== '', 'text must hold more than white space')
const text = z.strictObject({
  type: z.literal('text'),
  text: spoken,
  cache_control: cache,
  citations: z.array(z.looseObject({ type: z.string() })).optional(),
})
const image = z.strictObject({
  type: z.literal('image'),
  cache_control: cache,
  source: z.union([
    z.strictObject({ type: z.literal('url'), url: z.string() }),
    z.strictObject({
      type: z.literal('base64'),
      media_type: z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp']),
      data: z.string(),
    }),
  ]),
})
const document = z.strictObject({
  type: z.literal('document'),
  title: z.string().optional(),
  cache_control: cache,
  source: z.union([
    z.strictObject({ type: z.literal('url'), url: z.string() }),
    z.strictObject({ type: z.literal('base64'), media_type: z.literal('application/pdf'), data: z.string() }),
    z.strictObject({ type: z.literal('text'), media_type: z.literal('text/plain'), data: z.string() }),
  ]),
})
const toolId = z.string().regex(/^[a-zA-Z0-9_-]+$/)
const toolName = z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/)
const toolUse = z.strictObject({
  type: z.literal('tool_use'),
  id: toolId,
  name: toolName,
  input: z.record(z.string(), z.unknown()),
  cache_control: cache,
})
const toolResult = z.strictObject({
  type: z.literal('tool_result'),
  tool_use_id: toolId,
  is_error: z.boolean().optional(),
  content: z.array(z.union([text, image])).optional(),
  cache_control: cache,
})
const thinking = z.strictObject({
  type: z.literal('thinking'),
  thinking: z.string(),
  signature: z.string().min(1),
})
const redacted = z.strictObject({ type: z.literal('redacted_thinking'), data: z.string() })
const serverToolUse = z.looseObject({
  type: z.literal('server_tool_use'),
  id: toolId,
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
})
const serverToolResult = z.looseObject({
  type: z.string().regex(/^[a-z_]+_tool_result$/),
  tool_use_id: toolId,
  content: z.unknown(),
})

const message = z.discriminatedUnion('role', [
  z.strictObject({
    role: z.literal('user'),
    content: z.array(z.union([text, image, document, toolResult])).min(1),
  }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.array(z.union([text, toolUse, thinking, redacted, serverToolUse, serverToolResult])).min(1),
  }),
  z.strictObject({ role: z.literal('system'), content: z.array(text).min(1) }),
])

type Message = z.output<typeof message>

export const messagesRequest = z
  .strictObject({
    model: z.string(),
    max_tokens: z.int().positive(),
    stream: z.literal(true),
    system: z.array(text).min(1).optional(),
    messages: z.array(message).min(1),
    tools: z
      .array(
        z.strictObject({
          name: toolName,
          description: z.string().optional(),
          input_schema: z.looseObject({ type: z.literal('object') }),
          cache_control: cache,
        }),
      )
      .min(1)
      .optional(),
    tool_choice: z
      .discriminatedUnion('type', [
        z.strictObject({ type: z.literal('auto'), disable_parallel_tool_use: z.boolean().optional() }),
        z.strictObject({ type: z.literal('any'), disable_parallel_tool_use: z.boolean().optional() }),
        z.strictObject({ type: z.literal('none') }),
        z.strictObject({
          type: z.literal('tool'),
          name: toolName,
          disable_parallel_tool_use: z.boolean().optional(),
        }),
      ])
      .optional(),
    thinking: z
      .discriminatedUnion('type', [
        z.strictObject({
          type: z.literal('adaptive'),
          display: z.enum(['summarized', 'omitted']).optional(),
        }),
        z.strictObject({ type: z.literal('enabled'), budget_tokens: z.int().min(1024) }),
        z.strictObject({ type: z.literal('disabled') }),
        z.strictObject({ type: z.literal('between_tools') }),
      ])
      .optional(),
    output_config: z
      .strictObject({
        effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).optional(),
        format: z
          .strictObject({ type: z.literal('json_schema'), schema: z.record(z.string(), z.unknown()) })
          .optional(),
      })
      .optional(),
    temperature: z.number().min(0).max(1).optional(),
    top_p: z.number().min(0).max(1).optional(),
    top_k: z.int().optional(),
    stop_sequences: z.array(z.string()).optional(),
    metadata: z.looseObject({}).optional(),
  })
  .superRefine(({ messages }, context) => {
    const refuse = (message: string) => context.addIssue({ code: 'custom', message })
    if (messages[0]?.role !== 'user') refuse('the first message must be the user’s')
    const ids = new Set<string>()
    messages.forEach((each, at) => {
      const calls = idsOf(each, 'tool_use')
      for (const id of calls) {
        if (ids.has(id)) refuse(`the id ${id} is used twice`)
        ids.add(id)
      }
      const next = messages[at + 1]
      const results = next ? leadingResults(next) : []
      if (calls.join() !== results.join()) refuse(`calls ${calls.join()} are answered by ${results.join()}`)
      if (next?.role === each.role) refuse('two messages of one role follow each other')
      const loose = idsOf(each, 'tool_result').length - leadingResults(each).length
      if (loose > 0) refuse('a tool_result stands behind other content')
    })
    const anchors = JSON.stringify(messages).split('"cache_control"').length - 1
    if (anchors > 4) refuse(`${anchors} cache anchors`)
  })

function idsOf({ content }: Message, type: 'tool_use' | 'tool_result'): string[] {
  return (content as { type: string; id?: string; tool_use_id?: string }[]).flatMap(block =>
    block.type === type ? [block.id ?? block.tool_use_id ?? ''] : [],
  )
}

function leadingResults({ content }: Message): string[] {
  const blocks = content as { type: string; tool_use_id?: string }[]
  const end = blocks.findIndex(block => block.type !== 'tool_result')
  return blocks.slice(0, end === -1 ? undefined : end).map(block => block.tool_use_id ?? '')
}
