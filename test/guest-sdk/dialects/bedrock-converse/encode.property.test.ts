import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type ConverseRules,
  encodeConverseRequest,
} from '../../../../guest-sdk/dialects/bedrock-converse/index.ts'
import { bigInput, conversations, isWellFormedJson } from '../conversations.ts'
import { converseRequest } from './api-schema.ts'

test('for any history the API takes the request, the same twice, arguments as they were (J2, B27)', () => {
  const rules: fc.Arbitrary<Partial<ConverseRules>> = fc.record({
    resultStatus: fc.boolean(),
    cachePoints: fc.constantFrom('none' as const, 'messages' as const, 'messages-and-tools' as const),
    thinking: fc.constantFrom(
      { type: 'nova' as const },
      { type: 'anthropic' as const, rules: { thinking: 'budget' as const } },
    ),
  })
  fc.assert(
    fc.property(conversations, rules, (request, given) => {
      const body = encodeConverseRequest(request, 'm', { rules: given })
      expect(encodeConverseRequest(request, 'm', { rules: given })).toBe(body)
      expect(isWellFormedJson(body)).toBe(true)
      expect(converseRequest.safeParse(JSON.parse(body)).error?.issues).toBeUndefined()
      if (request.tools.length === 0) return
      const inputs = request.messages.flatMap(({ role, content }) =>
        content.filter(part => role === 'assistant' && part.type === 'tool-use' && part.input === bigInput),
      )
      expect(body.split(`"input":${bigInput}`).length - 1).toBe(inputs.length)
    }),
  )
})
