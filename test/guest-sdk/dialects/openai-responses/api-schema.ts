import * as z from 'zod'

/** What `POST /v1/responses` takes, from its API reference: https://platform.openai.com/docs/api-reference/responses/create */
const breakpoint = z.strictObject({ mode: z.literal('explicit') }).optional()
const inputText = z.strictObject({
  type: z.literal('input_text'),
  text: z.string(),
  prompt_cache_breakpoint: breakpoint,
})
const inputImage = z.strictObject({
  type: z.literal('input_image'),
  detail: z.enum(['low', 'high', 'auto', 'original']),
  image_url: z.string().regex(/^(https?:\/\/|data:image\/(png|jpeg|webp|gif);base64,)/),
  prompt_cache_breakpoint: breakpoint,
})
const inputFile = z
  .strictObject({
    type: z.literal('input_file'),
    filename: z.string().min(1).optional(),
    file_data: z.string().startsWith('data:').optional(),
    file_url: z.string().optional(),
    prompt_cache_breakpoint: breakpoint,
  })
  .refine(file => (file.file_data === undefined) !== (file.file_url === undefined))
  .refine(file => file.file_data === undefined || file.filename !== undefined)
const inputContent = z.union([inputText, inputImage, inputFile])

const callId = z.string().min(1).max(64)
const toolName = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/)
const jsonObject = z.string().refine(text => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
})
const status = z.enum(['in_progress', 'completed', 'incomplete'])

const item = z.union([
  z.strictObject({
    type: z.literal('message'),
    role: z.enum(['user', 'developer', 'system']),
    content: z.array(inputContent).min(1),
  }),
  z.strictObject({
    type: z.literal('message'),
    role: z.literal('assistant'),
    content: z.string().min(1),
    phase: z.enum(['commentary', 'final_answer']).optional(),
  }),
  // No id: `call_id` is what pairs a call with its output.
  z.strictObject({
    type: z.literal('function_call'),
    call_id: callId,
    name: toolName,
    arguments: jsonObject,
  }),
  z.strictObject({
    type: z.literal('function_call_output'),
    call_id: callId,
    output: z.union([z.string(), z.array(inputContent).min(1)]),
  }),
  z
    .strictObject({
      type: z.literal('reasoning'),
      id: z.string(),
      summary: z.array(z.strictObject({ type: z.literal('summary_text'), text: z.string() })),
      content: z.array(z.strictObject({ type: z.literal('reasoning_text'), text: z.string() })).optional(),
      encrypted_content: z.string().nullish(),
      status: status.optional(),
    })
    .refine(({ encrypted_content, content = [] }) => encrypted_content || content.length > 0),
  z.strictObject({
    type: z.literal('image_generation_call'),
    id: z.string(),
    result: z.string(),
    status: z.enum(['in_progress', 'completed', 'generating', 'failed']),
  }),
  z.looseObject({
    type: z.string().regex(/^(web_search|file_search|code_interpreter|mcp)_call$/),
    id: z.string(),
  }),
])

type Item = z.output<typeof item>

const schema = z.record(z.string(), z.unknown())

export const responsesRequest = z
  .strictObject({
    model: z.string().min(1),
    instructions: z.string().min(1).optional(),
    input: z.array(item).min(1),
    stream: z.literal(true),
    store: z.literal(false),
    include: z.array(z.literal('reasoning.encrypted_content')).optional(),
    tools: z
      .array(
        z.strictObject({
          type: z.literal('function'),
          name: toolName,
          description: z.string().optional(),
          parameters: z.looseObject({ type: z.literal('object'), properties: schema }),
          strict: z.boolean(),
        }),
      )
      .min(1)
      .optional(),
    tool_choice: z
      .union([
        z.enum(['auto', 'required', 'none']),
        z.strictObject({ type: z.literal('function'), name: toolName }),
      ])
      .optional(),
    parallel_tool_calls: z.boolean().optional(),
    reasoning: z
      .strictObject({
        effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']),
        summary: z.enum(['auto', 'concise', 'detailed']).optional(),
      })
      .optional(),
    text: z
      .strictObject({
        format: z.strictObject({
          type: z.literal('json_schema'),
          name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
          schema,
          strict: z.boolean(),
        }),
      })
      .optional(),
    max_output_tokens: z.int().min(16).optional(),
    temperature: z.number().min(0).max(2).optional(),
    top_p: z.number().min(0).max(1).optional(),
  })
  .superRefine(({ input }, context) => {
    for (const problem of pairing(input)) context.addIssue({ code: 'custom', message: problem })
  })

/** What the service says of items that do not belong together. */
function pairing(input: readonly Item[]): string[] {
  const problems: string[] = []
  const open = new Set<string>()
  const seen = new Set<string>()
  input.forEach((entry, at) => {
    if (entry.type === 'function_call' && 'call_id' in entry) {
      const id = String(entry.call_id)
      if (seen.has(id)) problems.push(`Duplicate call ${id}`)
      seen.add(id)
      open.add(id)
    } else if (entry.type === 'function_call_output' && 'call_id' in entry) {
      if (!open.delete(String(entry.call_id)))
        problems.push(`No tool call found for ${String(entry.call_id)}`)
    } else if (entry.type === 'reasoning') {
      const next = input[at + 1]
      const isFollowed =
        next && next.type !== 'function_call_output' && !('role' in next && next.role !== 'assistant')
      if (!isFollowed) problems.push('A reasoning item was provided without its required following item')
    }
  })
  for (const id of open) problems.push(`No tool output found for function call ${id}`)
  return problems
}
