import { type Bound, type Facts, gatherFacts } from './facts.ts'
import { createReferences, type References, SchemaReferenceError } from './references.ts'
import { childPath, define, type JsonSchema, type SchemaLoss, type ToolInputFormat } from './schema.ts'
import { mergeVariants, unite } from './variants.ts'
import { createNode, type Node, settleNull } from './write.ts'

type Reduced = Exclude<ToolInputFormat, 'json-schema'>

/**
 * A schema in the form that a model takes. `json-schema` keeps all but `$schema`; the other two know a few keywords:
 * the rest is converted where it can be, else written into the description and reported. A property may be called
 * as any keyword.
 *
 * @param options.root `object` where the schema is a tool's input, which is an object in every service.
 * @throws {SchemaReferenceError} where the model takes no references and the schema is recursive, points outside of
 * itself or cannot be met at all.
 */
export function convertSchema(
  schema: JsonSchema,
  format: ToolInputFormat,
  options: { root?: 'object' | 'any' } = {},
): { schema: JsonSchema; losses: SchemaLoss[] } {
  const { root = 'object' } = options
  if (format === 'json-schema') return { schema: keepSchema(schema, root), losses: [] }
  const losses: SchemaLoss[] = []
  const converter: Converter = { format, references: createReferences(schema), losses }
  const converted = convertNode(converter, [{ schema, within: new Set(['#']) }], '')
  if (converted === undefined) throw new SchemaReferenceError('no value can meet it')
  if (root === 'any') return { schema: settleNull(converted, format, '', losses), losses }
  return { schema: rootObject(converter, converted), losses }
}

function keepSchema(schema: JsonSchema, root: 'object' | 'any'): JsonSchema {
  const { $schema: _, ...kept } = schema
  const says = ['type', '$ref', 'anyOf', 'oneOf', 'allOf'].some(keyword => kept[keyword] !== undefined)
  return root === 'object' && !says ? { type: 'object', ...kept } : kept
}

function rootObject({ format, losses }: Converter, converted: JsonSchema): JsonSchema {
  let object = converted
  if (Array.isArray(object.anyOf)) object = mergeVariants(object.anyOf as JsonSchema[], '', format, losses)
  const { nullable: _, ...rest } = object
  if (rest.type === 'object') return rest
  return { ...rest, type: 'object' }
}

export interface Converter {
  format: Reduced
  references: References
  losses: SchemaLoss[]
}

/** The same where a schema of its own stands, not one of several variants. */
function convertWhole(converter: Converter, bounds: readonly Bound[], path: string): JsonSchema | undefined {
  const schema = convertNode(converter, bounds, path)
  return schema && settleNull(schema, converter.format, path, converter.losses)
}

/** Undefined where no value meets the schema; of the type `null` where nothing but null does. */
function convertNode(converter: Converter, bounds: readonly Bound[], path: string): JsonSchema | undefined {
  const facts = gatherFacts(bounds, path, converter.references)
  if (!facts.possible) return undefined
  if (facts.union) return convertUnion(converter, facts.union, path)
  const types = typesOf(facts)
  const named = types && [...types].filter(type => type !== 'null')
  if (named && named.length > 1 && facts.values === undefined) {
    const branches = named.map(type => ({ schema: { type }, within: new Set<string>() }))
    const nullBranch = types.has('null') ? [{ schema: { type: 'null' }, within: new Set<string>() }] : []
    return convertUnion(
      converter,
      { keyword: 'type', branches: [...branches, ...nullBranch], rest: [...bounds] },
      path,
    )
  }
  const node = createNode(converter.format, facts, path, converter.losses)
  node.writeValue(types)
  if (node.type === 'object') writeProperties(converter, facts, node, path)
  if (node.type === 'array') writeItems(converter, facts, node, path)
  return node.finish()
}

function convertUnion(
  converter: Converter,
  { keyword, branches, rest }: NonNullable<Facts['union']>,
  path: string,
): JsonSchema | undefined {
  const { format, losses } = converter
  const converted = branches.flatMap((branch, at) => {
    const at_ = keyword === 'type' ? path : childPath(path, keyword, at)
    const schema = convertNode(converter, [branch, ...rest], at_)
    return schema === undefined ? [] : [schema]
  })
  if (converted.length === 0) return undefined
  const united = unite(converted, format)
  if (!Array.isArray(united.anyOf)) return united
  return format === 'simplified' ? mergeVariants(united.anyOf as JsonSchema[], path, format, losses) : united
}

/** Undefined where nothing says. */
function typesOf(facts: Facts): ReadonlySet<string> | undefined {
  if (facts.types) return facts.types
  if (facts.values) return undefined
  if (facts.properties.size > 0 || facts.required.size > 0 || facts.others.has('additionalProperties')) {
    return new Set(['object'])
  }
  if (facts.items.length > 0 || facts.prefix.length > 0) return new Set(['array'])
  if (facts.patterns.length > 0 || facts.bounds.has('minLength') || facts.bounds.has('maxLength')) {
    return new Set(['string'])
  }
  const numeric = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']
  return numeric.some(keyword => facts.bounds.has(keyword)) ? new Set(['number']) : undefined
}

function writeProperties(converter: Converter, facts: Facts, node: Node, path: string): void {
  const properties: JsonSchema = {}
  for (const [name, bounds] of facts.properties) {
    const inner = convertWhole(converter, bounds, childPath(path, 'properties', name))
    if (inner === undefined) node.lose('properties', `"${name}" can have no value and was left out`)
    else define(properties, name, inner)
  }
  // Services refuse a required name that is no property.
  for (const name of facts.required) {
    if (!Object.hasOwn(properties, name)) define(properties, name, node.anything())
  }
  if (Object.keys(properties).length > 0) node.set('properties', properties)
  if (facts.required.size > 0) node.set('required', [...facts.required])
}

function writeItems(converter: Converter, facts: Facts, node: Node, path: string): void {
  const { prefix, items } = facts
  const closed = items.some(({ schema }) => schema === false)
  if (prefix.length > 0) {
    const places = prefix.flatMap((bounds, at) => {
      const inner = convertNode(converter, bounds, childPath(path, 'prefixItems', at))
      return inner === undefined ? [] : [inner]
    })
    const rest =
      closed || items.length === 0 ? undefined : convertNode(converter, items, childPath(path, 'items'))
    const united = unite(rest === undefined ? places : [...places, rest], converter.format)
    const single = !Array.isArray(united.anyOf)
    if (!single || places.length > 1) {
      node.lose(
        'prefixItems',
        'items are no longer told apart by place',
        `${prefix.length} items in a fixed order`,
      )
    }
    node.set(
      'items',
      single || converter.format !== 'simplified'
        ? united
        : mergeVariants(united.anyOf as JsonSchema[], path, converter.format, converter.losses),
    )
    if (closed) node.bound('maxItems', prefix.length)
    return
  }
  if (closed) node.bound('maxItems', 0)
  const inner =
    closed || items.length === 0 ? undefined : convertWhole(converter, items, childPath(path, 'items'))
  // An array without `items` is refused.
  node.set('items', inner ?? node.anything())
}
