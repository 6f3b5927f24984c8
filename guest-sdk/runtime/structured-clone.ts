/** A deep copy of data: plain objects, arrays, maps, sets, dates, errors, buffers and their views, rings included. */
export function structuredClone<T>(value: T): T {
  return clone(value, new Map()) as T
}

function clone(value: unknown, copies: Map<object, unknown>): unknown {
  if (typeof value === 'function' || typeof value === 'symbol') {
    throw new DOMException(`Cannot clone a ${typeof value}`, 'DataCloneError')
  }
  if (typeof value !== 'object' || value === null) return value
  const known = copies.get(value)
  if (known !== undefined) return known
  const keep = <Copy>(copy: Copy): Copy => {
    copies.set(value, copy)
    return copy
  }
  if (Array.isArray(value)) {
    const copy = keep(new Array<unknown>(value.length))
    for (const key of Object.keys(value)) copy[Number(key)] = clone(value[Number(key)], copies)
    return copy
  }
  if (value instanceof Date) return keep(new Date(value.getTime()))
  if (value instanceof RegExp) return keep(new RegExp(value.source, value.flags))
  if (value instanceof ArrayBuffer) return keep(value.slice(0))
  if (ArrayBuffer.isView(value)) {
    const buffer = value.buffer.slice(value.byteOffset, value.byteOffset + value.byteLength)
    const View = value.constructor as new (buffer: ArrayBufferLike) => unknown
    return keep(new View(buffer))
  }
  if (value instanceof Map) {
    const copy = keep(new Map<unknown, unknown>())
    for (const [key, item] of value) copy.set(clone(key, copies), clone(item, copies))
    return copy
  }
  if (value instanceof Set) {
    const copy = keep(new Set<unknown>())
    for (const item of value) copy.add(clone(item, copies))
    return copy
  }
  if (value instanceof Error) {
    const copy = keep(new Error(value.message))
    copy.name = value.name
    if (value.stack !== undefined) copy.stack = value.stack
    if (value.cause !== undefined) copy.cause = clone(value.cause, copies)
    return copy
  }
  const copy = keep({} as Record<string, unknown>)
  for (const [key, item] of Object.entries(value)) {
    // Assigning to `__proto__` would set the prototype.
    Object.defineProperty(copy, key, {
      value: clone(item, copies),
      writable: true,
      enumerable: true,
      configurable: true,
    })
  }
  return copy
}
