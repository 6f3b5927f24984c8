import { isSchemaObject, type JsonSchema } from './schema.ts'

/** A schema that cannot be written without references. */
export class SchemaReferenceError extends Error {
  override readonly name = 'SchemaReferenceError'
}

// References are copied in, and copies hold copies: ten levels of ten make ten thousand million.
const MAX_INLINED = 10_000

export interface References {
  /**
   * Follows `$ref` as long as there is one; keywords beside it count too, as JSON Schema 2020-12 has it.
   * `within` names the references that led here: one that comes again is a cycle.
   * @throws {SchemaReferenceError} for a cycle, for what is nowhere in the document, and for copies without end.
   */
  resolve(schema: JsonSchema, path: string, within: ReadonlySet<string>): Resolved
}

export interface Resolved {
  /** What the references lead to, each to be met at once with the others. */
  schemas: JsonSchema[]
  within: ReadonlySet<string>
}

export function createReferences(root: JsonSchema): References {
  let inlined = 0
  let anchors: ReadonlyMap<string, JsonSchema> | undefined

  function find(reference: string): unknown {
    if (reference === '#' || reference === root.$id) return root
    if (reference.startsWith('#/')) return atPointer(root, reference.slice(1))
    anchors ??= findAnchors(root)
    return anchors.get(reference)
  }

  return {
    resolve(schema, path, within) {
      const schemas: JsonSchema[] = []
      const met = new Set(within)
      let current = schema
      for (;;) {
        const reference = current.$ref ?? current.$dynamicRef ?? current.$recursiveRef
        if (typeof reference !== 'string') break
        const { $ref: _, $dynamicRef: __, $recursiveRef: ___, ...beside } = current
        if (Object.keys(beside).length > 0) schemas.push(beside)
        if (met.has(reference)) {
          throw new SchemaReferenceError(
            `it is recursive: ${path || 'the root'} leads back to ${JSON.stringify(reference)}. ` +
              'The model takes no references: write the levels out to a fixed depth, or choose another model',
          )
        }
        if (++inlined > MAX_INLINED) {
          throw new SchemaReferenceError(
            `its references come to more than ${MAX_INLINED} copies, and the model takes no references: use fewer of them`,
          )
        }
        const found = find(reference)
        if (found === true || found === false) {
          schemas.push(found ? {} : { not: {} })
          return { schemas, within: met }
        }
        if (!isSchemaObject(found)) {
          throw new SchemaReferenceError(
            `${path || 'the root'} refers to ${JSON.stringify(reference)}, which is not in the schema: references must point into the same document`,
          )
        }
        met.add(reference)
        current = found
      }
      schemas.push(current)
      return { schemas, within: met }
    },
  }
}

function atPointer(root: unknown, pointer: string): unknown {
  let at: unknown = root
  for (const raw of pointer.split('/').slice(1)) {
    let step: string
    try {
      step = decodeURIComponent(raw).replaceAll('~1', '/').replaceAll('~0', '~')
    } catch {
      return undefined
    }
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined
    at = (at as Record<string, unknown>)[step]
  }
  return at
}

/** `$anchor`, `$dynamicAnchor` and `$id`, wherever in the document they stand. */
function findAnchors(root: JsonSchema): Map<string, JsonSchema> {
  const found = new Map<string, JsonSchema>()
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) visit(item)
    if (!isSchemaObject(value)) return
    for (const name of [value.$anchor, value.$dynamicAnchor]) {
      if (typeof name === 'string' && !found.has(`#${name}`)) found.set(`#${name}`, value)
    }
    if (typeof value.$id === 'string' && !found.has(value.$id)) found.set(value.$id, value)
    for (const item of Object.values(value)) visit(item)
  }
  visit(root)
  return found
}
