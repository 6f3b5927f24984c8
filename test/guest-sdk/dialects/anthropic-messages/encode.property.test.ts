import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  encodeMessagesRequest,
  type MessagesRules,
} from '../../../../guest-sdk/dialects/anthropic-messages/index.ts'
import { bigInput, conversations, isWellFormedJson } from '../conversations.ts'
import { messagesRequest } from './api-schema.ts'

const rules: fc.Arbitrary<Partial<MessagesRules>> = fc.record({
  thinking: fc.constantFrom('adaptive' as const, 'budget' as const, 'none' as const),
  thinkingOff: fc.constantFrom('omit' as const, 'disabled' as const, 'never' as const),
  systemMessages: fc.boolean(),
})

test('encodeMessagesRequest: for any history the API takes the request, the same twice, arguments as they were', () => {
  fc.assert(
    fc.property(conversations, rules, (request, given) => {
      const body = encodeMessagesRequest(request, 'm', { rules: given })
      expect(encodeMessagesRequest(request, 'm', { rules: given })).toBe(body)
      expect(isWellFormedJson(body)).toBe(true)
      const checked = messagesRequest.safeParse(JSON.parse(body))
      expect(checked.error?.issues).toBeUndefined()
      const inputs = request.messages.flatMap(({ role, content }) =>
        content.filter(part => role === 'assistant' && part.type === 'tool-use' && part.input === bigInput),
      )
      expect(body.split(`"input":${bigInput}`).length - 1).toBe(inputs.length)
    }),
  )
})
