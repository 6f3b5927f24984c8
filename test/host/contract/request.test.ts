import { describe, expect, test } from 'vitest'
import { parseRequest } from '../../../host/contract/request.ts'
import { InvalidRequestError } from '../../../host/errors.ts'

const secret = 'what I told nobody else'
const user = (content: unknown) => ({ model: 'p/m', messages: [{ role: 'user', content }] })
const hi = user('hi')

describe('parseRequest names the field, what fits there and what stands there', () => {
  test.each([
    [null, 'the request must be an object, not null'],
    [undefined, 'the request is missing: expected an object'],
    [{ ...hi, temprature: 1 }, 'unknown key "temprature": did you mean "temperature"?'],
    [{ ...hi, model: [] }, 'model must not be empty'],
    [{ ...hi, model: '' }, /^model:? must not be empty$/],
    [{ ...hi, messages: [] }, 'messages must not be empty'],
    [{ ...hi, temperature: Number.NaN }, 'temperature must be a number, not NaN'],
    [{ ...hi, maxTokens: 1.5 }, 'maxTokens must be a whole number, not 1.5'],
    [
      { ...hi, messages: [{ role: 'usr', content: 'x' }] },
      'messages[0].role must be "user" or "assistant" or "system", not a string',
    ],
    [user(7), 'messages[0].content must be a string or an array, not 7'],
    [user([secret]), 'messages[0].content[0] must be an object, not a string'],
    [user([{ type: 'text' }]), 'messages[0].content[0].text is missing: expected a string'],
    [user([{ type: 'text', text: 'a', txt: secret }]), 'unknown key "messages[0].content[0].txt"'],
    [
      user([{ type: 'video', source: secret }]),
      /^messages\[0\]\.content\[0\]\.type must be "text" or "image" or /,
    ],
    [
      user([{ type: 'tool-result', toolUseId: 'a', toolName: 'b', content: [{ type: 'text', text: 1 }] }]),
      'messages[0].content[0].content[0].text must be a string, not 1',
    ],
    [
      { ...hi, toolChoice: 'look' },
      'toolChoice must be "auto" or "any" or "none" or an object, not a string',
    ],
    [{ ...hi, toolChoice: { tool: 1 } }, 'toolChoice.tool must be a string, not 1'],
    [{ ...hi, tools: [{ name: 'look', inputSchema: 3 }] }, 'tools[0].inputSchema must be an object, not 3'],
  ])('%j', (request, said) => {
    const error = refusal(request)
    expect(error.message.replace(/^Cannot send this request: /, '')).toMatch(
      typeof said === 'string' ? new RegExp(`^${RegExp.escape(said)}$`) : said,
    )
    expect(error.message).not.toContain(secret)
  })
})

function refusal(request: unknown): InvalidRequestError {
  try {
    parseRequest(request)
  } catch (error) {
    if (error instanceof InvalidRequestError) return error
    throw error
  }
  throw new Error('it was taken')
}
