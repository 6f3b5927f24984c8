import * as z from 'zod'

/**
 * What the API reference says that ConverseStream takes:
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html
 */
const text = z.strictObject({ text: z.string().regex(/\S/) })
const bytes = z.strictObject({ bytes: z.base64() })
const image = z.strictObject({
  image: z.strictObject({ format: z.enum(['png', 'jpeg', 'gif', 'webp']), source: bytes }),
})
const document = z.strictObject({
  document: z.strictObject({
    format: z.enum(['pdf', 'csv', 'doc', 'docx', 'xls', 'xlsx', 'html', 'txt', 'md']),
    name: z.string().regex(/^(?!.*\s\s)[a-zA-Z0-9\s()[\]-]{1,200}$/),
    source: bytes,
  }),
})
const cachePoint = z.strictObject({ cachePoint: z.strictObject({ type: z.literal('default') }) })
const id = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/)
const toolName = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/)
const toolUse = z.strictObject({
  toolUse: z.strictObject({ toolUseId: id, name: toolName, input: z.record(z.string(), z.unknown()) }),
})
const toolResult = z.strictObject({
  toolResult: z.strictObject({
    toolUseId: id,
    content: z.array(z.union([text, image, document])).min(1),
    status: z.enum(['success', 'error']).optional(),
  }),
})
const reasoning = z.strictObject({
  reasoningContent: z.union([
    z.strictObject({
      reasoningText: z.strictObject({ text: z.string(), signature: z.string().min(1) }),
    }),
    z.strictObject({ redactedContent: z.string().min(1) }),
  ]),
})

const message = z.discriminatedUnion('role', [
  z.strictObject({
    role: z.literal('user'),
    content: z.array(z.union([text, image, document, toolResult, cachePoint])).min(1),
  }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.array(z.union([text, reasoning, toolUse, cachePoint])).min(1),
  }),
])

export const converseRequest = z
  .strictObject({
    messages: z.array(message).min(1),
    system: z
      .array(z.union([text, cachePoint]))
      .min(1)
      .optional(),
    inferenceConfig: z
      .strictObject({
        maxTokens: z.int().min(1).optional(),
        temperature: z.number().min(0).max(1).optional(),
        topP: z.number().min(0).max(1).optional(),
        stopSequences: z.array(z.string()).min(1).optional(),
      })
      .optional(),
    toolConfig: z
      .strictObject({
        tools: z
          .array(
            z.union([
              z.strictObject({
                toolSpec: z.strictObject({
                  name: toolName,
                  description: z.string().min(1).optional(),
                  inputSchema: z.strictObject({ json: z.record(z.string(), z.unknown()) }),
                }),
              }),
              cachePoint,
            ]),
          )
          .min(1),
        toolChoice: z
          .union([
            z.strictObject({ any: z.strictObject({}) }),
            z.strictObject({ auto: z.strictObject({}) }),
            z.strictObject({ tool: z.strictObject({ name: toolName }) }),
          ])
          .optional(),
      })
      .optional(),
    outputConfig: z.unknown().optional(),
    additionalModelRequestFields: z.record(z.string(), z.unknown()).optional(),
  })
  .superRefine(({ messages, toolConfig }, context) => {
    const issue = (words: string) => context.addIssue({ code: 'custom', message: words })
    let points = 0
    messages.forEach(({ role, content }, at) => {
      if (role !== (at % 2 === 0 ? 'user' : 'assistant')) issue(`messages[${at}]: roles must alternate`)
      points += content.filter(block => 'cachePoint' in block).length
      const hasDocument = content.some(block => 'document' in block)
      if (hasDocument && !content.some(block => 'text' in block))
        issue(`messages[${at}]: a document needs a text`)
      const calls = content.flatMap(block => ('toolUse' in block ? [block.toolUse.toolUseId] : []))
      const next = messages[at + 1]?.content ?? []
      const results = next.flatMap(block => ('toolResult' in block ? [block.toolResult.toolUseId] : []))
      if (calls.length > 0 && results.join() !== calls.join())
        issue(`messages[${at}]: results do not fit calls`)
      if (calls.length > 0 && !toolConfig) issue('toolConfig must be there where calls are')
    })
    if (points > 4) issue('more than four cache points')
  })
