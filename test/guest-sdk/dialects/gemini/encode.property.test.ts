import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeGeminiRequest, type GeminiRules } from '../../../../guest-sdk/dialects/gemini/index.ts'
import { bigInput, conversations, isWellFormedJson } from '../conversations.ts'
import { generateContentRequest } from './api-schema.ts'

const rules: fc.Arbitrary<Partial<GeminiRules>> = fc.record({
  thinking: fc.constantFrom('level' as const, 'budget' as const, 'none' as const),
  signedCalls: fc.boolean(),
  callIds: fc.boolean(),
  resultImages: fc.boolean(),
  systemInstruction: fc.boolean(),
})

test('encodeGeminiRequest: for any history the API takes the request, the same twice, arguments as they were', () => {
  fc.assert(
    fc.property(conversations, rules, (request, given) => {
      const body = encodeGeminiRequest(request, { rules: given })
      expect(encodeGeminiRequest(request, { rules: given })).toBe(body)
      expect(isWellFormedJson(body)).toBe(true)
      expect(generateContentRequest.safeParse(JSON.parse(body)).error?.issues).toBeUndefined()
      const inputs = request.messages.flatMap(({ role, content }) =>
        content.filter(part => role === 'assistant' && part.type === 'tool-use' && part.input === bigInput),
      )
      expect(body.split(`"args":${bigInput}`).length - 1).toBe(inputs.length)
    }),
  )
})
