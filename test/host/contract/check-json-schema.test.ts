import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { checkJsonSchema } from '../../../host/contract/check-json-schema.ts'
import { createJsonValidator } from '../../../host/contract/json-schema.ts'

const TYPES = '"object","array","string","number","integer","boolean","null"'

describe('checkJsonSchema says what is wrong and where', () => {
  test.each<[Record<string, unknown>, string]>([
    [{ type: 'strng' }, `type must be one of ${TYPES}`],
    [{ type: ['string', 'nil'] }, `type[1] must be one of ${TYPES}`],
    [{ properties: [] }, 'properties must be an object, not an array'],
    [{ properties: { a: null } }, 'properties.a must be an object or a boolean, not null'],
    [{ properties: { a: { items: { type: 'x' } } } }, `properties.a.items.type must be one of ${TYPES}`],
    [{ required: 'a' }, 'required must be an array, not a string'],
    [{ enum: 'a' }, 'enum must be an array, not a string'],
    [{ anyOf: {} }, 'anyOf must be an array, not an object'],
    [{ allOf: [null] }, 'allOf[0] must be an object or a boolean, not null'],
    [{ minimum: 'x' }, 'minimum must be a number, not a string'],
    [{ $defs: { a: { maxLength: 1.5 } } }, '["$defs"].a.maxLength must be an integer, not a number'],
  ])('%j', (schema, message) => {
    expect(checkJsonSchema(schema).map(issue => issue.message)).toEqual([message])
  })
})

describe('checkJsonSchema takes', () => {
  test.each<[string, Record<string, unknown>]>([
    ['a schema without keywords', {}],
    ['keywords that nobody knows', { 'x-order': 1, example: null }],
    ['properties that are called as keywords', { properties: { type: { const: 1 }, items: { enum: [[]] } } }],
    ['draft 4', { required: ['a'], minimum: 1, exclusiveMinimum: true, items: [{}] }],
    ['draft 7', { items: [{ type: 'string' }], additionalItems: false, dependencies: { a: ['b'] } }],
    [
      '2020-12',
      { prefixItems: [true], items: false, $defs: { a: { $ref: '#' } }, unevaluatedProperties: false },
    ],
    [
      'what zod writes',
      z.toJSONSchema(z.object({ a: z.union([z.string(), z.int()]).nullish(), b: z.tuple([z.iso.date()]) })),
    ],
  ])('%s', (_name, schema) => {
    expect(checkJsonSchema(schema)).toEqual([])
  })
})

test('a condition whose branch does not fit is told by what does not fit', () => {
  const validate = createJsonValidator(
    JSON.parse(`{
      "if": { "required": ["card"] },
      "then": { "properties": { "code": { "type": "string" } }, "required": ["code"] },
      "else": { "required": ["cash"] }
    }`),
  )
  expect(validate({ card: 1, code: 2 })).toEqual([
    { path: 'code', message: 'code must be a string, not a number' },
  ])
  expect(validate({})).toEqual([{ path: 'cash', message: 'cash is missing' }])
})
