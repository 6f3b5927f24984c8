const MAX_DEPTH = 4
const MAX_ITEMS = 50
const MAX_CHARACTERS = 8000

/** Any value as text for a log: bounded in depth, width and length; calls no getters. */
export function inspect(value: unknown): string {
  const text = show(value, 0, [])
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}...` : text
}

function show(value: unknown, depth: number, seen: readonly object[]): string {
  if (typeof value === 'string') return depth === 0 ? value : JSON.stringify(value.slice(0, MAX_CHARACTERS))
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value === 'function') return `[function ${value.name || '(anonymous)'}]`
  if (typeof value !== 'object' || value === null) return String(value)
  if (seen.includes(value)) return '[circular]'
  if (value instanceof Error) return `${value.name}: ${value.message}\n${value.stack ?? ''}`.trimEnd()
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString()
  // By its tag: naming the class would bring the URL library into every bundle.
  if (value instanceof RegExp || Object.prototype.toString.call(value) === '[object URL]')
    return String(value)
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) {
    return `${value.constructor.name}(${value.byteLength} bytes)`
  }
  if (depth >= MAX_DEPTH) return Array.isArray(value) ? '[array]' : '[object]'
  const inside = [...seen, value]
  const items = (values: Iterable<unknown>, size: number, one: (value: never) => string): string => {
    const shown: string[] = []
    for (const item of values) {
      if (shown.length === MAX_ITEMS) {
        shown.push(`... ${size - MAX_ITEMS} more`)
        break
      }
      shown.push(one(item as never))
    }
    return shown.join(', ')
  }
  const nested = (item: unknown) => show(item, depth + 1, inside)
  if (Array.isArray(value)) return `[${items(value, value.length, nested)}]`
  if (value instanceof Set) return `Set {${items(value, value.size, nested)}}`
  if (value instanceof Map) {
    const entry = ([key, item]: [unknown, unknown]) => `${nested(key)} => ${nested(item)}`
    return `Map {${items(value, value.size, entry)}}`
  }
  const keys = Object.keys(value)
  const property = (key: string) => {
    const { get, value: item } = Object.getOwnPropertyDescriptor(value, key) ?? {}
    return `${/^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key)}: ${get ? '[getter]' : nested(item)}`
  }
  return `{${items(keys, keys.length, property)}}`
}
