import {
  define,
  isSchemaObject,
  type JsonSchema,
  type SchemaLoss,
  schemaList,
  type ToolInputFormat,
} from './schema.ts'

type Reduced = Exclude<ToolInputFormat, 'json-schema'>

/**
 * Converted variants as one schema: null becomes `nullable`, equal ones fall together, lists of texts become one
 * list. What is left of several stands in `anyOf`, alone: services refuse other keywords beside it.
 */
export function unite(variants: readonly JsonSchema[], format: Reduced): JsonSchema {
  const flat = variants.flatMap(variant =>
    Array.isArray(variant.anyOf) ? (variant.anyOf as JsonSchema[]) : [variant],
  )
  const rest = flat.filter(variant => variant.type !== 'null')
  if (rest.length === 0) return flat[0]!
  const isNullable = rest.length < flat.length || rest.some(variant => variant.nullable === true)
  const isFirst = (variant: JsonSchema, at: number) =>
    rest.findIndex(other => JSON.stringify(other) === JSON.stringify(variant)) === at
  const united = uniteTexts(rest.filter(isFirst))
  if (united.length === 1) return withNull(united[0]!, isNullable, format)
  return { anyOf: united.map(variant => withNull(variant, isNullable, format)) }
}

function withNull(variant: JsonSchema, isNullable: boolean, format: Reduced): JsonSchema {
  if (!isNullable) return variant
  if (format === 'json-schema-subset') return { ...variant, nullable: true }
  const words = typeof variant.description === 'string' ? variant.description : ''
  if (words.includes('may be null')) return variant
  return { ...variant, description: [words, '(may be null)'].filter(Boolean).join(' ') }
}

function uniteTexts(variants: readonly JsonSchema[]): JsonSchema[] {
  const isList = (variant: JsonSchema) => variant.type === 'string' && Array.isArray(variant.enum)
  const lists = variants.filter(isList)
  if (lists.length < 2) return [...variants]
  const values = [...new Set(lists.flatMap(list => schemaList(list.enum)))]
  const words = [...new Set(lists.map(list => list.description).filter(Boolean))]
  const { description: _, ...first } = lists[0]!
  const one: JsonSchema = {
    ...first,
    enum: values,
    ...(words.length > 0 && { description: words.join(' ') }),
  }
  return variants.flatMap(variant => (variant === lists[0] ? [one] : isList(variant) ? [] : [variant]))
}

/**
 * Several variants as one schema that all of them meet, for models that know no `anyOf`: of objects the properties
 * of all, required where all require them. Reported, since what belongs together is no longer said.
 */
export function mergeVariants(
  variants: readonly JsonSchema[],
  path: string,
  format: Reduced,
  losses: SchemaLoss[],
): JsonSchema {
  losses.push({
    path,
    keyword: 'anyOf',
    reason: `${variants.length} variants became one that allows each of them`,
  })
  const types = new Set(variants.map(variant => variant.type))
  const words = [...new Set(variants.map(variant => variant.description).filter(Boolean))].join(' Or: ')
  const description = words === '' ? {} : { description: words }
  const [type] = types
  if (types.size === 2 && types.has('integer') && types.has('number'))
    return { type: 'number', ...description }
  if (types.size !== 1) {
    const named = `one of the types ${[...types].filter(Boolean).join(', ')}`
    const text = words === '' ? named : `${words} (${named})`
    return format === 'simplified' ? { description: text } : { type: 'string', description: text }
  }
  if (type === 'object') return { type, ...description, ...mergeObjects(variants, path, format, losses) }
  if (type === 'array') {
    const items = unite(
      variants.flatMap(variant => (isSchemaObject(variant.items) ? [variant.items] : [])),
      format,
    )
    const one =
      format === 'simplified' && Array.isArray(items.anyOf)
        ? mergeVariants(items.anyOf as JsonSchema[], path, format, losses)
        : items
    return { type, ...description, items: one }
  }
  return { ...(type !== undefined && { type }), ...description }
}

function mergeObjects(
  variants: readonly JsonSchema[],
  path: string,
  format: Reduced,
  losses: SchemaLoss[],
): JsonSchema {
  const found = new Map<string, JsonSchema[]>()
  for (const { properties } of variants) {
    if (!isSchemaObject(properties)) continue
    for (const [name, inner] of Object.entries(properties)) {
      found.set(name, [...(found.get(name) ?? []), inner as JsonSchema])
    }
  }
  const properties: JsonSchema = {}
  for (const [name, inners] of found) {
    const united = unite(inners, format)
    const one =
      format === 'simplified' && Array.isArray(united.anyOf)
        ? mergeVariants(united.anyOf as JsonSchema[], path, format, losses)
        : united
    define(properties, name, one)
  }
  const required = schemaList(variants[0]?.required).filter(name =>
    variants.every(variant => schemaList(variant.required).includes(name)),
  )
  return {
    ...(found.size > 0 && { properties }),
    ...(required.length > 0 && { required }),
  }
}
