import { InvalidComponentError } from '../errors.ts'

const TYPE_SECTION = 1
const TABLE_SECTION = 4
const MEMORY_SECTION = 5
const FUNCTION_TYPE = 0x60

/** One section of a core module: its id, and where its content begins and ends. */
export interface Section {
  id: number
  /** Of the id byte. */
  start: number
  from: number
  to: number
}

/** The sections of a core module in their order (core specification, 5.5.2). */
export function* moduleSections(module: Uint8Array): Generator<Section> {
  for (let at = 8; at < module.length; ) {
    const size = readLeb(module, at + 1)
    const to = size.next + size.value
    if (to > module.length)
      throw new InvalidComponentError('Cannot read a core module: a section runs past its end')
    yield { id: module[at]!, start: at, from: size.next, to }
    at = to
  }
}

/** How many memories and tables the module defines, those that it imports aside. */
export function countDefined(module: Uint8Array): { memories: number; tables: number } {
  const counts = { memories: 0, tables: 0 }
  for (const { id, from } of moduleSections(module)) {
    if (id === MEMORY_SECTION) counts.memories += readLeb(module, from).value
    if (id === TABLE_SECTION) counts.tables += readLeb(module, from).value
  }
  return counts
}

/** Whether the module declares a struct, an array, or a group of types: all but plain functions. */
export function hasGarbageCollectedTypes(module: Uint8Array): boolean {
  for (const { id, from } of moduleSections(module)) {
    if (id !== TYPE_SECTION) continue
    const count = readLeb(module, from)
    let at = count.next
    for (let index = 0; index < count.value; index++) {
      if (module[at] !== FUNCTION_TYPE) return true
      at = skipValueTypes(module, skipValueTypes(module, at + 1))
    }
  }
  return false
}

function skipValueTypes(module: Uint8Array, start: number): number {
  const count = readLeb(module, start)
  let at = count.next
  for (let index = 0; index < count.value; index++) at = skipReferenceType(module, at)
  return at
}

/** A value or reference type is one byte, or 0x63/0x64 and a heap type. */
export function skipReferenceType(module: Uint8Array, at: number): number {
  return module[at] === 0x63 || module[at] === 0x64 ? readLeb(module, at + 1).next : at + 1
}

/** Unsigned LEB128, exact up to 2^53: whatever is larger is refused by the limits it is compared with. */
export function readLeb(bytes: Uint8Array, start: number): { value: number; next: number } {
  let value = 0
  for (let at = start, scale = 1; at < start + 10; at++, scale *= 128) {
    const byte = bytes[at]
    if (byte === undefined) break
    value += (byte & 0x7f) * scale
    if (byte < 0x80) return { value, next: at + 1 }
  }
  throw new InvalidComponentError('Cannot read a core module: a number is cut off')
}
