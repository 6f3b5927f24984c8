import fc from 'fast-check'
import { expect, test } from 'vitest'
import { convertSchema } from '../../../../host/contract/tool-schema/index.ts'
import { geminiSchema } from '../../../guest-sdk/dialects/gemini/api-schema.ts'

const formats = ['json-schema-subset', 'simplified'] as const

test('convertSchema: whatever it is given, the result is one that Google’s API takes, or an error by name', () => {
  const { tree } = fc.letrec(tie => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.boolean(),
      fc.record(
        {
          type: fc.oneof(
            fc.constantFrom('string', 'number', 'integer', 'boolean', 'array', 'object', 'null'),
            fc.subarray(['string', 'integer', 'null', 'object'], { minLength: 1 }),
          ),
          properties: fc.dictionary(fc.constantFrom('a', 'type', '$ref'), tie('tree'), { maxKeys: 2 }),
          required: fc.subarray(['a', 'zz']),
          items: tie('tree'),
          prefixItems: fc.array(tie('tree'), { maxLength: 2 }),
          anyOf: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }),
          allOf: fc.array(tie('tree'), { minLength: 1, maxLength: 2 }),
          enum: fc.array(fc.constantFrom('x', 1, null, true, 2.5), { minLength: 1, maxLength: 3 }),
          const: fc.constantFrom('x', 1, null),
          minimum: fc.integer(),
          exclusiveMaximum: fc.integer(),
          pattern: fc.constant('a'),
          description: fc.string(),
          $ref: fc.constantFrom('#/$defs/Text', '#', '#/nowhere'),
        },
        { requiredKeys: [] },
      ),
    ),
  }))
  fc.assert(
    fc.property(tree, given => {
      const schema = { type: 'object', properties: { it: given }, $defs: { Text: { type: 'string' } } }
      for (const format of formats) {
        try {
          const { schema: converted } = convertSchema(schema, format)
          if (format === 'json-schema-subset') {
            expect(geminiSchema.safeParse(converted).error?.issues).toBeUndefined()
          } else expect(JSON.stringify(converted)).not.toMatch(/"(anyOf|\$ref|minimum)":[{[\d"]/)
        } catch (error) {
          expect(error).toMatchObject({ name: 'SchemaReferenceError' })
        }
      }
    }),
    { numRuns: 300 },
  )
})
