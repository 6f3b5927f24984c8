/** How a model wants its tools' input schemas, as the contract names it. */
export type ToolInputFormat = 'json-schema' | 'json-schema-subset' | 'simplified'

/** JSON Schema as an object; `true` and `false` are schemas too, inside one. */
export type JsonSchema = Record<string, unknown>

/** Something that a converted schema no longer says. Answers must be checked against the original. */
export interface SchemaLoss {
  /** JSON Pointer into the schema that was given, e.g. `/properties/age`. */
  path: string
  /** The keyword that was lost, e.g. `pattern`. */
  keyword: string
  /** What stands in its place, or that nothing does. */
  reason: string
}

export function isSchemaObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function schemaList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** Own properties only, and defined: `__proto__` is a name like any other. */
export function define(target: JsonSchema, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
}

/** One more step of a JSON Pointer (RFC 6901). */
export function childPath(path: string, ...steps: readonly (string | number)[]): string {
  return steps.reduce<string>(
    (whole, step) => `${whole}/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`,
    path,
  )
}
