import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  encodeResponsesRequest,
  type ResponsesRules,
} from '../../../../guest-sdk/dialects/openai-responses/index.ts'
import type { MessagePart } from '../../../../guest-sdk/request.ts'
import { bigInput, conversations, isWellFormedJson } from '../conversations.ts'
import { responsesRequest } from './api-schema.ts'

const rules: fc.Arbitrary<Partial<ResponsesRules>> = fc.record({
  thinking: fc.boolean(),
  cacheBreakpoints: fc.boolean(),
  resultImages: fc.boolean(),
  systemRole: fc.constantFrom('developer' as const, 'system' as const),
})

const own: fc.Arbitrary<MessagePart> = fc.constantFrom(
  ...['m', 'other'].flatMap(model =>
    ['openai', 'azure-openai'].map(
      (service): MessagePart => ({
        type: 'reasoning-details',
        data: `{"type":"openai-responses.item","service":"${service}","model":"${model}","item":{"type":"reasoning","id":"rs","encrypted_content":"x","summary":[]}}`,
      }),
    ),
  ),
  {
    type: 'reasoning-details' as const,
    data: '{"type":"openai-responses.message","length":2,"phase":"commentary"}',
  },
  {
    type: 'reasoning-details' as const,
    data: '{"type":"openai-responses.image","service":"openai","id":"ig"}',
  },
)

/** Opaque parts of this dialect, strewn over a conversation. */
const strewn = fc
  .tuple(conversations, fc.array(fc.tuple(fc.nat(), fc.nat(), own), { maxLength: 6 }))
  .map(([request, parts]) => {
    const messages = request.messages.map(message => ({ ...message, content: [...message.content] }))
    for (const [at, place, part] of parts) {
      const message = messages[at % messages.length]!
      if (message.role !== 'system') message.content.splice(place % (message.content.length + 1), 0, part)
    }
    return { ...request, messages, stopSequences: [] }
  })

test('encodeResponsesRequest: for any history the API takes the request, the same twice, arguments as they were', () => {
  fc.assert(
    fc.property(strewn, rules, (request, given) => {
      const options = { service: 'openai', rules: given }
      const body = encodeResponsesRequest(request, 'm', options)
      expect(encodeResponsesRequest(request, 'm', options)).toBe(body)
      expect(isWellFormedJson(body)).toBe(true)
      const checked = responsesRequest.safeParse(JSON.parse(body))
      expect(checked.error?.issues).toBeUndefined()
      const inputs = request.messages.flatMap(({ role, content }) =>
        content.filter(part => role === 'assistant' && part.type === 'tool-use' && part.input === bigInput),
      )
      const sent = checked.data?.input.filter(item => 'arguments' in item && item.arguments === bigInput)
      expect(sent).toHaveLength(inputs.length)
      expect(body).not.toMatch(/"service":|"other"/)
    }),
  )
})
