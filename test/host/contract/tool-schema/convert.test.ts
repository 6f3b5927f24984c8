import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import {
  convertSchema,
  type JsonSchema,
  type ToolInputFormat,
} from '../../../../host/contract/tool-schema/index.ts'
import { geminiSchema } from '../../../guest-sdk/dialects/gemini/api-schema.ts'

type Reduced = Exclude<ToolInputFormat, 'json-schema'>

/** One property's schema, converted, and the keywords that were lost. */
function property(schema: unknown, format: Reduced = 'json-schema-subset') {
  const { schema: whole, losses } = convertSchema(
    { type: 'object', properties: { it: schema }, $defs: { Text: { type: 'string', minLength: 1 } } },
    format,
  )
  expect(format === 'simplified' || geminiSchema.safeParse(whole).success).toBe(true)
  const properties = whole.properties as Record<string, JsonSchema> | undefined
  return { it: properties?.it, lost: losses.map(({ keyword }) => keyword) }
}

describe('convertSchema to json-schema-subset', () => {
  test.each<[name: string, given: unknown, expected: object | undefined, lost?: string[]]>([
    ['$schema is dropped', { $schema: 'x', type: 'string' }, { type: 'string' }],
    ['const is an enum', { const: 'a' }, { type: 'string', enum: ['a'] }],
    ['const in anyOf', { anyOf: [{ const: 'a' }, { const: 'b' }] }, { type: 'string', enum: ['a', 'b'] }],
    ['numbers of an enum are texts', { enum: [1, 2] }, { type: 'string', enum: ['1', '2'] }, ['enum']],
    ['type with null', { type: ['string', 'null'] }, { type: 'string', nullable: true }],
    [
      'anyOf with null',
      { anyOf: [{ type: 'string' }, { type: 'null' }] },
      { type: 'string', nullable: true },
    ],
    ['enum with null', { enum: ['a', null] }, { type: 'string', enum: ['a'], nullable: true }],
    [
      'null alone',
      { type: 'null' },
      { type: 'string', nullable: true, description: '(always null)' },
      ['type'],
    ],
    ['several types', { type: ['string', 'number'] }, { anyOf: [{ type: 'string' }, { type: 'number' }] }],
    [
      'exclusive bounds of whole numbers',
      { type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 9.5 },
      { type: 'integer', minimum: 1, maximum: 9 },
    ],
    [
      'exclusive bounds of others',
      { type: 'number', exclusiveMinimum: 0 },
      { type: 'number', minimum: 0, description: '(more than 0)' },
      ['exclusiveMinimum'],
    ],
    [
      'exclusive bounds of draft 4',
      { type: 'integer', minimum: 0, exclusiveMinimum: true },
      { type: 'integer', minimum: 1 },
    ],
    [
      'an array without items',
      { type: 'array' },
      { type: 'array', items: { type: 'string', description: 'any JSON value' } },
      ['type'],
    ],
    [
      'a tuple',
      { prefixItems: [{ type: 'string' }, { type: 'number' }], items: false },
      {
        type: 'array',
        items: { anyOf: [{ type: 'string' }, { type: 'number' }] },
        maxItems: 2,
        description: '(2 items in a fixed order)',
      },
      ['prefixItems'],
    ],
    [
      'a tuple of draft 7',
      { type: 'array', items: [{ type: 'string' }, { type: 'string' }] },
      { type: 'array', items: { type: 'string' }, description: '(2 items in a fixed order)' },
      ['prefixItems'],
    ],
    [
      'closed objects',
      { type: 'object', additionalProperties: false },
      { type: 'object' },
      ['additionalProperties'],
    ],
    [
      'free keys',
      { type: 'object', additionalProperties: { type: 'number' } },
      { type: 'object', description: '(additionalProperties: {"type":"number"})' },
      ['additionalProperties'],
    ],
    [
      '$ref, with words beside it',
      { $ref: '#/$defs/Text', description: 'A.' },
      { type: 'string', minLength: 1, description: 'A.' },
    ],
    [
      'allOf',
      {
        allOf: [
          { type: 'integer', minimum: 1 },
          { minimum: 3, maximum: 9 },
        ],
      },
      { type: 'integer', minimum: 3, maximum: 9 },
    ],
    [
      'oneOf beside other keywords',
      { description: 'D', oneOf: [{ type: 'string' }, { type: 'boolean' }] },
      {
        anyOf: [
          { type: 'string', description: 'D' },
          { type: 'boolean', description: 'D' },
        ],
      },
    ],
    [
      'formats that are refused',
      { type: 'string', format: 'uri' },
      { type: 'string', description: '(format: uri)' },
      ['format'],
    ],
    [
      'formats that are taken',
      { type: 'string', format: 'date-time' },
      { type: 'string', format: 'date-time' },
    ],
    ['default in words', { type: 'string', default: 'x' }, { type: 'string', description: '(default: "x")' }],
    [
      'what has no place',
      { type: 'number', multipleOf: 5 },
      { type: 'number', description: '(multipleOf: 5)' },
      ['multipleOf'],
    ],
    ['anything', {}, { type: 'string', description: '(any JSON value)' }, ['type']],
    ['nothing', false, undefined, ['properties']],
    ['what cannot be', { type: 'string', enum: [] }, undefined, ['properties']],
  ])('%s (G10)', (_, given, expected, lost = []) => {
    const { it, lost: found } = property(given)
    expect(it).toEqual(expected)
    expect(found).toEqual(lost)
  })
})

describe('convertSchema to simplified', () => {
  test.each<[name: string, given: unknown, expected: object]>([
    [
      'bounds are words',
      { type: 'string', minLength: 2, pattern: 'a' },
      { type: 'string', description: '(minLength 2; matches a)' },
    ],
    [
      'null is a word',
      { anyOf: [{ type: 'string' }, { type: 'null' }] },
      { type: 'string', description: '(may be null)' },
    ],
    [
      'variants of objects are one',
      {
        anyOf: [
          { type: 'object', properties: { a: { type: 'string' }, k: { const: 'p' } }, required: ['a', 'k'] },
          { type: 'object', properties: { k: { const: 'q' } }, required: ['k'] },
        ],
      },
      {
        type: 'object',
        properties: { a: { type: 'string' }, k: { type: 'string', enum: ['p', 'q'] } },
        required: ['k'],
      },
    ],
    [
      'variants of several types',
      { type: ['string', 'number'] },
      { description: 'one of the types string, number' },
    ],
    ['numbers of an enum stay', { enum: [1, 2] }, { type: 'integer', enum: [1, 2] }],
  ])('%s', (_, given, expected) => {
    expect(property(given, 'simplified').it).toEqual(expected)
  })
})

describe('convertSchema', () => {
  const formats: Reduced[] = ['json-schema-subset', 'simplified']
  test.each(formats)('%s: properties may be called as keywords are', format => {
    const names = [
      '$ref',
      'additionalProperties',
      'const',
      'enum',
      'properties',
      'required',
      'type',
      '__proto__',
    ]
    const schema = JSON.parse(
      JSON.stringify({ type: 'object', required: names }).replace(
        /}$/,
        `,"properties":{${names.map(name => `"${name}":{"type":"string"}`).join(',')}}}`,
      ),
    ) as JsonSchema
    const { schema: converted } = convertSchema(schema, format)
    expect(Object.keys(converted.properties as object)).toEqual(names)
    expect(converted.required).toEqual(names)
  })
  test.each(formats)('%s: a recursive schema is an error that says where', format => {
    const node = { type: 'object', properties: { next: { $ref: '#/$defs/Node' } } }
    const schema = { type: 'object', properties: { list: { $ref: '#/$defs/Node' } }, $defs: { Node: node } }
    expect(() => convertSchema(schema, format)).toThrow(
      'it is recursive: /properties/list/properties/next leads back to "#/$defs/Node"',
    )
    expect(() => convertSchema({ type: 'object', properties: { self: { $ref: '#' } } }, format)).toThrow(
      'recursive',
    )
  })
  test('the same reference twice is no cycle', () => {
    const schema = {
      type: 'object',
      allOf: [{ $ref: '#/$defs/A' }, { properties: { b: { $ref: '#/$defs/A' } } }],
      $defs: { A: { type: 'object', properties: { x: { type: 'string' } } } },
    }
    const { schema: converted } = convertSchema(schema, 'json-schema-subset')
    const x = { type: 'string' }
    expect(converted.properties).toEqual({ x, b: { type: 'object', properties: { x } } })
  })
  test('references elsewhere, and copies without end, are errors', () => {
    const property = (schema: object, $defs = {}) => ({ type: 'object', properties: { it: schema }, $defs })
    expect(() => convertSchema(property({ $ref: 'https://a.example/x' }), 'simplified')).toThrow(
      'not in the schema',
    )
    const levels = Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [
        `L${at}`,
        { type: 'array', prefixItems: [{ $ref: `#/$defs/L${at + 1}` }, { $ref: `#/$defs/L${at + 1}` }] },
      ]),
    )
    const bomb = property({ $ref: '#/$defs/L0' }, { ...levels, L20: { type: 'string' } })
    expect(() => convertSchema(bomb, 'json-schema-subset')).toThrow('more than 10000 copies')
  })
  test('json-schema keeps all but $schema', () => {
    const schema = { $schema: 'x', properties: { a: { $ref: '#' } }, additionalProperties: false }
    expect(convertSchema(schema, 'json-schema')).toEqual({
      schema: { type: 'object', properties: { a: { $ref: '#' } }, additionalProperties: false },
      losses: [],
    })
  })
  test('the root of a tool is an object, of an answer what it is', () => {
    const union = { anyOf: [{ type: 'object', properties: { a: { type: 'string' } } }, { type: 'object' }] }
    expect(convertSchema(union, 'json-schema-subset').schema.type).toBe('object')
    const list = { type: 'array', items: { type: 'string' } }
    expect(convertSchema(list, 'json-schema-subset', { root: 'any' }).schema).toEqual(list)
  })
  test('what zod writes survives it (trap 17)', () => {
    const shape = z.object({
      name: z.string().min(1).nullable(),
      kind: z.union([z.literal('a'), z.literal('b')]),
      count: z.number().positive().default(3),
      at: z.tuple([z.string(), z.number()]),
      map: z.record(z.string(), z.int()),
      shape: z.discriminatedUnion('k', [
        z.object({ k: z.literal('p'), v: z.url() }),
        z.object({ k: z.literal('q'), list: z.array(z.any()) }),
      ]),
      level: z.literal([1, 2]).optional(),
      additionalProperties: z.boolean(),
    })
    const written = z.toJSONSchema(shape, { io: 'input' }) as JsonSchema
    const { schema } = convertSchema(written, 'json-schema-subset')
    expect(geminiSchema.safeParse(schema).error?.issues).toBeUndefined()
    expect(schema.required).toEqual(['name', 'kind', 'at', 'map', 'shape', 'additionalProperties'])
    expect(Object.keys(schema.properties as object)).toEqual(Object.keys(shape.shape))
  })
})
