import { describe, expect, test } from 'vitest'
import { createJsonValidator } from '../../../host/contract/json-schema.ts'

const person = {
  type: 'object',
  properties: {
    age: { type: 'integer', minimum: 0 },
    tags: { type: 'array', items: { type: 'string', minLength: 3 } },
    owner: { anyOf: [{ type: 'string' }, { type: 'object', properties: { id: { const: 1 } } }] },
    size: { enum: ['small', 'large'] },
    code: { type: 'string', pattern: '^[a-z]+$' },
  },
  required: ['age'],
  additionalProperties: false,
}

describe('createJsonValidator', () => {
  test.each<[unknown, [path: string, message: string][]]>([
    [{ age: 3, tags: ['abc'], owner: { id: 1 }, size: 'small', code: 'x' }, []],
    [{}, [['age', 'age is missing']]],
    [[], [['', 'the value must be an object, not an array']]],
    [{ age: '3' }, [['age', 'age must be an integer, not a string']]],
    [{ age: -1 }, [['age', 'age: is less than 0']]],
    [
      { age: 1, tags: ['x', 'yes', 5] },
      [
        ['tags[0]', 'tags[0]: is too short (1 < 3)'],
        ['tags[2]', 'tags[2] must be a string, not a number'],
      ],
    ],
    [{ age: 1, owner: 5 }, [['owner', 'owner must be a string or an object, not a number']]],
    [{ age: 1, owner: { id: 2 } }, [['owner.id', 'owner.id must be 1']]],
    [{ age: 1, size: 'huge' }, [['size', 'size must be one of "small","large"']]],
    [{ age: 1, zip: 5 }, [['zip', 'zip must not be there']]],
    [{ age: 1, code: 'A' }, [['code', 'code: does not match pattern']]],
  ])('%j', (value, issues) => {
    expect(createJsonValidator(person)(value)).toEqual(issues.map(([path, message]) => ({ path, message })))
  })

  test('follows references inside the schema, and those that lead back to themselves', () => {
    const validator = createJsonValidator({
      $defs: {
        node: { type: 'object', properties: { next: { $ref: '#/$defs/node' }, name: { type: 'string' } } },
      },
      $ref: '#/$defs/node',
    })
    expect(validator({ name: 'a', next: { name: 'b', next: {} } })).toEqual([])
    expect(validator({ next: { next: { name: 1 } } })).toEqual([
      { path: 'next.next.name', message: 'next.next.name must be a string, not a number' },
    ])
  })

  test('reads the draft that the schema names', () => {
    const tuple = { type: 'array', items: [{ type: 'string' }, { type: 'number' }], additionalItems: false }
    const validator = createJsonValidator({ $schema: 'http://json-schema.org/draft-07/schema#', ...tuple })
    expect(validator(['a', 1])).toEqual([])
    expect(validator(['a', 'b'])[0]?.path).toBe('[1]')
  })

  test('keeps its own copy of the schema, and leaves the caller’s alone', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } }
    const before = structuredClone(schema)
    const validator = createJsonValidator(schema)
    schema.properties.a.type = 'number'
    expect(validator({ a: 'x' })).toEqual([])
    expect(Reflect.ownKeys(schema)).toEqual(Reflect.ownKeys(before))
  })

  test.each([
    [
      'a reference that leads nowhere',
      { properties: { a: { $ref: '#/$defs/none' } } },
      /\$ref "#\/\$defs\/none"/,
    ],
    [
      'a reference to another document',
      { properties: { a: { $ref: 'https://example.com/s.json' } } },
      /\$ref/,
    ],
    ['what is no pattern', { properties: { a: { pattern: '(' } } }, /"\(" is not a pattern/],
  ])('refuses %s', (_, schema, message) => {
    expect(() => createJsonValidator(schema)).toThrow(message)
  })
})

describe('createJsonValidator, for a stranger’s schema', () => {
  test('a schema that doubles the work at each level ends, and says so', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, level) => {
        const next = { $ref: `#/$defs/l${level + 1}` }
        return [`l${level}`, level === 39 ? { type: 'string' } : { allOf: [next, next] }]
      }),
    )
    const issues = createJsonValidator({ $defs, $ref: '#/$defs/l0' }, { untrusted: true })('x')
    expect(issues).toEqual([{ path: '', message: expect.stringContaining('takes too long') }])
  })

  test('a schema that refers to itself at once ends too', () => {
    const issues = createJsonValidator({ $ref: '#' }, { untrusted: true })({})
    expect(issues).toEqual([{ path: '', message: expect.stringContaining('cannot be checked') }])
  })

  test('a pattern that takes for ever is not tried; a property called pattern is', () => {
    const schema = {
      type: 'object',
      properties: { name: { type: 'string', pattern: '^(a+)+$' }, pattern: { type: 'string' } },
      patternProperties: { '^(x+)+$': { type: 'string' } },
      additionalProperties: false,
    }
    const validator = createJsonValidator(schema, { untrusted: true })
    expect(validator({ name: `${'a'.repeat(50)}!`, [`${'x'.repeat(50)}!`]: 1 })).toEqual([])
    expect(validator({ pattern: 5 })[0]?.path).toBe('pattern')
  })
})
