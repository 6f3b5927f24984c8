import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { toStrictSchema } from '../../../guest-sdk/dialects/strict-schema.ts'

const closed = (properties: Record<string, unknown>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})
const open = (properties: Record<string, unknown>) => {
  const { additionalProperties: _, ...rest } = closed(properties)
  return rest
}
const text = { type: 'string' }

describe('toStrictSchema', () => {
  test.each<[string, unknown, unknown]>([
    ['what fits already stays', closed({ a: text }), closed({ a: text })],
    ['objects are closed', open({ a: open({ b: text }) }), closed({ a: closed({ b: text }) })],
    [
      'one of several',
      open({ a: { oneOf: [text, { type: 'null' }] } }),
      closed({ a: { anyOf: [text, { type: 'null' }] } }),
    ],
    [
      'bounds that it does not know are said in words',
      open({ a: { ...text, description: 'A link.', format: 'uri', minLength: 3 } }),
      closed({ a: { ...text, description: 'A link. (format: "uri"; minLength: 3)' } }),
    ],
    [
      'patterns that look around too',
      open({ a: { ...text, pattern: '^(?!x)' }, b: { ...text, pattern: '^(?:x)' } }),
      closed({ a: { ...text, description: '(pattern: "^(?!x)")' }, b: { ...text, pattern: '^(?:x)' } }),
    ],
    ['annotations go', { $schema: 'x', ...open({ a: { ...text, examples: ['b'] } }) }, closed({ a: text })],
    [
      'definitions and lists',
      { ...open({ a: { type: 'array', items: { $ref: '#/$defs/b' } } }), $defs: { b: open({ c: text }) } },
      {
        ...closed({ a: { type: 'array', items: { $ref: '#/$defs/b' } } }),
        $defs: { b: closed({ c: text }) },
      },
    ],
    [
      'a property may be called __proto__',
      open(JSON.parse('{"__proto__":{"type":"string"}}')),
      closed(JSON.parse('{"__proto__":{"type":"string"}}')),
    ],
  ])('%s', (_name, schema, written) => {
    expect(toStrictSchema(schema)).toEqual(written)
  })

  test.each<[string, unknown]>([
    ['an optional property', { ...closed({ a: text }), required: [] }],
    ['an object of which nothing is said', { type: 'object' }],
    ['an object that is to be open', { ...open({ a: text }), additionalProperties: true }],
    ['a map', { type: 'object', additionalProperties: text }],
    ['an open object inside', open({ a: { type: 'array', items: { type: 'object' } } })],
    ['anything', open({ a: {} })],
    ['a tuple', open({ a: { type: 'array', prefixItems: [text] } })],
    ['all of several', open({ a: { allOf: [text] } })],
    ['a choice at the top', { anyOf: [closed({ a: text })] }],
    ['a list at the top', { type: 'array', items: text }],
  ])('%s has no such form', (_name, schema) => {
    expect(toStrictSchema(schema)).toBeUndefined()
  })

  test('what zod writes of common things has one', () => {
    const schema = z.object({
      id: z.uuid(),
      mail: z.email(),
      age: z.int().min(0).nullable(),
      kind: z.discriminatedUnion('type', [
        z.object({ type: z.literal('a'), at: z.iso.datetime() }),
        z.object({ type: z.literal('b'), tags: z.array(z.enum(['x', 'y'])).min(1) }),
      ]),
    })
    expect(toStrictSchema(z.toJSONSchema(schema, { io: 'input' }))).toMatchObject({
      properties: { kind: { anyOf: [{ additionalProperties: false }, { additionalProperties: false }] } },
      additionalProperties: false,
    })
  })
})
