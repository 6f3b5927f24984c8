import { createJsonValidator, type SchemaIssue } from './json-schema.ts'

const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']

const schema = { $ref: '#' }
const schemas = { type: 'array', minItems: 1, items: schema }
const named = { type: 'object', additionalProperties: schema }
const texts = { type: 'array', items: { type: 'string' } }
const text = { type: 'string' }
const number = { type: 'number' }
const count = { type: 'integer', minimum: 0 }

function each<Rule>(names: readonly string[], rule: Rule): Record<string, Rule> {
  return Object.fromEntries(names.map(name => [name, rule]))
}

function oneOrList(one: object, list: object): object {
  return JSON.parse(`{"if":{"type":"array"},"then":${JSON.stringify(list)},"else":${JSON.stringify(one)}}`)
}

/** What the keywords of all drafts since 4 have in common. Keywords that nobody knows mean nothing. */
const WELL_FORMED = {
  type: ['object', 'boolean'],
  properties: {
    type: oneOrList({ enum: TYPES }, { items: { enum: TYPES } }),
    enum: { type: 'array' },
    required: { if: { type: 'boolean' }, else: texts },
    items: oneOrList(schema, { items: schema }),
    dependencies: { type: 'object', additionalProperties: oneOrList(schema, texts) },
    dependentRequired: { type: 'object', additionalProperties: texts },
    multipleOf: { type: 'number', exclusiveMinimum: 0 },
    ...each(['anyOf', 'oneOf', 'allOf', 'prefixItems'], schemas),
    ...each(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'], named),
    ...each(['additionalProperties', 'unevaluatedProperties', 'propertyNames', 'contains'], schema),
    ...each(['additionalItems', 'unevaluatedItems', 'not', 'if', 'then', 'else'], schema),
    ...each(['$ref', '$id', '$schema', '$anchor', 'pattern', 'format', 'title', 'description'], text),
    ...each(['minimum', 'maximum'], number),
    // Draft 4 has them beside minimum and maximum, as switches.
    ...each(['exclusiveMinimum', 'exclusiveMaximum'], { type: ['number', 'boolean'] }),
    ...each(['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'], count),
    ...each(['minContains', 'maxContains'], count),
  },
}

/** What is wrong with a JSON Schema, as sentences with the place in them; nothing where it can be used. */
export function checkJsonSchema(given: Readonly<Record<string, unknown>>): SchemaIssue[] {
  return createJsonValidator(WELL_FORMED, { whole: 'the schema' })(given)
}
