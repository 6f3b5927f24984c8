import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { parseRequest } from '../../../../host/contract/request.ts'
import { toGuestRequest } from '../../../../host/contract/to-guest.ts'

describe('toGuestRequest: schemas in the format of the model', () => {
  const request = parseRequest({
    model: 'p/m',
    messages: [{ role: 'user', content: 'Hi' }],
    tools: [{ name: 'look', inputSchema: z.object({ n: z.int().gt(3), q: z.url() }) }],
    responseFormat: { name: 'x', schema: { type: 'array', items: { const: 'a' } } },
  })
  test('tools and the answer are converted, and every loss is told', () => {
    const lost: string[] = []
    const { tools, responseFormat } = toGuestRequest(request, {
      toolInputFormat: 'json-schema-subset',
      onSchemaLoss: (schema, { path, keyword }) => lost.push(`${schema} ${path} ${keyword}`),
    })
    expect(JSON.parse(tools[0]?.inputSchema ?? '')).toMatchObject({ properties: { n: { minimum: 4 } } })
    expect(JSON.parse(responseFormat?.schema ?? '')).toEqual({
      type: 'array',
      items: { type: 'string', enum: ['a'] },
    })
    expect(lost).toEqual(expect.arrayContaining(['tools[0].inputSchema /properties/q format']))
  })
  test('without a format they stay JSON Schema', () => {
    expect(toGuestRequest(request).tools[0]?.inputSchema).toContain('exclusiveMinimum')
  })
  test('what cannot be written is refused with its place', () => {
    const recursive = parseRequest({
      model: 'p/m',
      messages: [{ role: 'user', content: 'Hi' }],
      tools: [{ name: 'look', inputSchema: { type: 'object', properties: { a: { $ref: '#' } } } }],
    })
    expect(() => toGuestRequest(recursive, { toolInputFormat: 'simplified' })).toThrow(
      /^Cannot write tools\[0\]\.inputSchema in the model's format \(simplified\): it is recursive/,
    )
  })
})
