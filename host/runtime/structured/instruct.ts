import type { parseRequest } from '../../contract/request.ts'
import type { AnswerFormat } from './answer-format.ts'

type ParsedRequest = ReturnType<typeof parseRequest>

/** The request with the schema put to the model in words, behind what the system's first message says. */
export function instruct(request: ParsedRequest, { schema }: AnswerFormat): ParsedRequest {
  const { $schema: _, ...shown } = schema
  const when =
    (request.tools ?? []).length > 0 ? 'When you have what you need from the tools, answer' : 'Answer'
  const words = `${when} with JSON that fits this JSON Schema, and nothing else: no other words, no code fence.\n${JSON.stringify(shown)}`
  const [first, ...others] = request.messages
  // One system message is all that several models take.
  if (first?.role !== 'system')
    return { ...request, messages: [{ role: 'system', content: words }, ...request.messages] }
  const content =
    typeof first.content === 'string'
      ? `${first.content}\n\n${words}`
      : [...first.content, { type: 'text' as const, text: words }]
  return { ...request, messages: [{ ...first, content }, ...others] }
}
