import * as z from 'zod'

/** What the API reference says that `POST /api/chat` takes: https://docs.ollama.com/api/chat */
const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), content: z.string() }),
  z.strictObject({
    role: z.literal('user'),
    content: z.string(),
    images: z.array(z.base64()).min(1).optional(),
  }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.string(),
    thinking: z.string().optional(),
    tool_calls: z
      .array(
        z.strictObject({
          id: z.string(),
          function: z.strictObject({ name: z.string(), arguments: z.record(z.string(), z.unknown()) }),
        }),
      )
      .min(1)
      .optional(),
  }),
  z.strictObject({
    role: z.literal('tool'),
    tool_name: z.string(),
    tool_call_id: z.string(),
    content: z.string(),
  }),
])

export const ollamaRequest = z.strictObject({
  model: z.string(),
  messages: z.array(message),
  stream: z.literal(true),
  tools: z
    .array(
      z.strictObject({
        type: z.literal('function'),
        function: z.strictObject({
          name: z.string(),
          description: z.string(),
          parameters: z.record(z.string(), z.unknown()),
        }),
      }),
    )
    .min(1)
    .optional(),
  format: z.record(z.string(), z.unknown()).optional(),
  think: z.union([z.boolean(), z.enum(['low', 'medium', 'high'])]).optional(),
  options: z
    .strictObject({
      num_ctx: z.int().positive().optional(),
      num_predict: z.int().optional(),
      temperature: z.number().optional(),
      top_p: z.number().optional(),
      seed: z.int().optional(),
      stop: z.array(z.string()).min(1).optional(),
    })
    .optional(),
})
