import { expect, test } from 'vitest'
import * as z from 'zod'
import { checkJsonSchema } from '../../../../host/contract/check-json-schema.ts'
import { createJsonValidator } from '../../../../host/contract/json-schema.ts'
import { isObjectSchema, wrapSchema } from '../../../../host/runtime/structured/wrap-schema.ts'

const tree = z.object({
  name: z.string(),
  get children() {
    return z.array(tree)
  },
})

test.each<[string, z.ZodType, unknown, unknown]>([
  ['a list', z.array(z.int()), [1], ['1']],
  ['a choice', z.enum(['red', 'blue']), 'red', 'green'],
  ['a union', z.union([z.object({ a: z.int() }), z.object({ b: z.int() })]), { b: 1 }, { c: 1 }],
  [
    'a list of what refers to itself',
    z.array(tree),
    [{ name: 'a', children: [{ name: 'b', children: [] }] }],
    [{ name: 'a', children: [{ children: [] }] }],
  ],
])('wrapSchema of %s: an object whose answer is held to it', (_name, schema, good, bad) => {
  const written = z.toJSONSchema(schema, { io: 'input' })
  expect(isObjectSchema(written)).toBe(false)
  const wrapped = wrapSchema(written)
  expect(isObjectSchema(wrapped)).toBe(true)
  expect(checkJsonSchema(wrapped)).toEqual([])
  const validate = createJsonValidator(wrapped)
  expect(validate({ answer: good })).toEqual([])
  expect(validate({ answer: bad })).not.toEqual([])
  expect(validate(good)).not.toEqual([])
  expect(validate({ answer: good, more: 1 })).not.toEqual([])
})

test('wrapSchema moves references, and nothing that only looks like one', () => {
  const schema = {
    $ref: '#/$defs/a',
    $defs: {
      a: { type: 'object', properties: { $ref: { $ref: '#' }, const: { const: { $ref: '#' } } } },
      b: { items: [{ $ref: '#/$defs/a' }], default: { $ref: '#/$defs/a' }, not: { $ref: '#named' } },
    },
  }
  expect(wrapSchema(schema).properties).toEqual({
    answer: {
      $ref: '#/properties/answer/$defs/a',
      $defs: {
        a: {
          type: 'object',
          properties: { $ref: { $ref: '#/properties/answer' }, const: { const: { $ref: '#' } } },
        },
        b: {
          items: [{ $ref: '#/properties/answer/$defs/a' }],
          default: { $ref: '#/$defs/a' },
          not: { $ref: '#named' },
        },
      },
    },
  })
})
