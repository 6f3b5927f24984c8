import * as z from 'zod'

/** What `models.generateContent` takes, from its API reference: https://ai.google.dev/api/generate-content */
const media = z.strictObject({ mimeType: z.string().min(1), data: z.string() })
const signature = z.string().min(1).optional()
const struct = z.record(z.string(), z.unknown())
const name = z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/)

const textPart = z.strictObject({
  text: z.string(),
  thought: z.boolean().optional(),
  thoughtSignature: signature,
})
const mediaPart = z.strictObject({ inlineData: media, thoughtSignature: signature })
const filePart = z.strictObject({
  fileData: z.strictObject({ mimeType: z.string().min(1), fileUri: z.string() }),
  thoughtSignature: signature,
})
const callPart = z.strictObject({
  functionCall: z.strictObject({ id: z.string().optional(), name, args: struct }),
  thoughtSignature: signature,
})
const responsePart = z.strictObject({
  functionResponse: z.strictObject({
    id: z.string().optional(),
    name,
    response: struct,
    parts: z.array(mediaPart).optional(),
  }),
})
const codePart = z.union([
  z.looseObject({ executableCode: z.looseObject({ code: z.string() }) }),
  z.looseObject({ codeExecutionResult: z.looseObject({ outcome: z.string() }) }),
])

const content = z.discriminatedUnion('role', [
  z.strictObject({
    role: z.literal('user'),
    parts: z.array(z.union([textPart, mediaPart, filePart, responsePart])).min(1),
  }),
  z.strictObject({
    role: z.literal('model'),
    parts: z.array(z.union([textPart, mediaPart, filePart, callPart, codePart])).min(1),
  }),
])

const TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null']

/** https://ai.google.dev/api/caching#Schema */
const schema: z.ZodType = z.lazy(() =>
  z.union([
    z.strictObject({ anyOf: z.array(schema).min(1) }),
    z.strictObject({
      type: z.enum(TYPES),
      format: z.string().optional(),
      title: z.string().optional(),
      description: z.string().optional(),
      nullable: z.boolean().optional(),
      enum: z.array(z.string()).optional(),
      minItems: z.int().optional(),
      maxItems: z.int().optional(),
      properties: z.record(z.string(), schema).optional(),
      required: z.array(z.string()).optional(),
      minProperties: z.int().optional(),
      maxProperties: z.int().optional(),
      minLength: z.int().optional(),
      maxLength: z.int().optional(),
      pattern: z.string().optional(),
      items: schema.optional(),
      minimum: z.number().optional(),
      maximum: z.number().optional(),
    }),
  ]),
)

export const geminiSchema = schema

export const generateContentRequest = z
  .strictObject({
    systemInstruction: z.strictObject({ parts: z.array(textPart).min(1) }).optional(),
    contents: z.array(content).min(1),
    tools: z
      .array(
        z.strictObject({
          functionDeclarations: z
            .array(
              z.strictObject({ name, description: z.string().optional(), parameters: schema.optional() }),
            )
            .min(1),
        }),
      )
      .optional(),
    toolConfig: z
      .strictObject({
        functionCallingConfig: z.strictObject({
          mode: z.enum(['AUTO', 'ANY', 'NONE']),
          allowedFunctionNames: z.array(name).optional(),
        }),
      })
      .optional(),
    generationConfig: z
      .strictObject({
        temperature: z.number().optional(),
        topP: z.number().optional(),
        topK: z.int().optional(),
        seed: z.int32().optional(),
        maxOutputTokens: z.int().optional(),
        stopSequences: z.array(z.string()).optional(),
        responseMimeType: z.literal('application/json').optional(),
        responseSchema: schema.optional(),
        thinkingConfig: z
          .strictObject({
            includeThoughts: z.boolean().optional(),
            thinkingBudget: z.int().optional(),
            thinkingLevel: z.enum(['minimal', 'low', 'medium', 'high']).optional(),
          })
          .optional(),
      })
      .optional(),
  })
  .superRefine(({ contents }, context) => {
    const refuse = (message: string) => context.addIssue({ code: 'custom', message })
    if (contents[0]?.role !== 'user') refuse('the first content must be the user’s')
    contents.forEach(({ role, parts }, at) => {
      const responses = parts.flatMap(part =>
        'functionResponse' in part ? [(part.functionResponse as { name: string }).name] : [],
      )
      const before = contents[at - 1]
      const calls = before ? callsOf(before.parts) : []
      if (role === 'user' && responses.join() !== calls.join()) {
        refuse(`calls ${calls.join()} are answered by ${responses.join()}`)
      }
      if (responses.length > 0 && responses.length < parts.length)
        refuse('responses stand beside other parts')
      if (role === 'model' && before?.role === 'model') refuse('two contents of the model follow each other')
      if (role === 'model' && at === contents.length - 1 && callsOf(parts).length > 0)
        refuse('calls stay open')
    })
  })

function callsOf(parts: readonly object[]): string[] {
  return parts.flatMap(part => ('functionCall' in part ? [(part.functionCall as { name: string }).name] : []))
}
