import { InvalidComponentError } from '../errors.ts'
import { moduleSections, readLeb, skipReferenceType } from './module-sections.ts'

const PAGE_BYTES = 65_536
const TABLE_SECTION = 4
const MEMORY_SECTION = 5
// One table slot costs the host 8 bytes that no memory limit counts. QuickJS needs about 3,000.
const MAX_TABLE_SLOTS = 1_000_000

const HAS_MAXIMUM = 0b001
const SHARED = 0b010
const SIXTY_FOUR_BIT = 0b100

/**
 * Returns the core module with a maximum on every memory and table it defines, so that growing past
 * it fails inside the guest: `resourceLimits` of a worker do not bound WebAssembly memory.
 * @throws {InvalidComponentError} where the module wants more than that to begin with, or shared memory.
 */
export function limitMemory(module: Uint8Array, memoryMiB: number): Uint8Array {
  const maxPages = Math.floor((memoryMiB * 1024 * 1024) / PAGE_BYTES)
  const out: Uint8Array[] = []
  let kept = 0
  for (const { id, start, from, to } of moduleSections(module)) {
    if (id !== MEMORY_SECTION && id !== TABLE_SECTION) continue
    const body = module.subarray(from, to)
    const limited = id === MEMORY_SECTION ? limitMemories(body, maxPages, memoryMiB) : limitTables(body)
    out.push(module.subarray(kept, start), Uint8Array.of(id), leb(limited.length), limited)
    kept = to
  }
  out.push(module.subarray(kept))
  return Buffer.concat(out)
}

function limitMemories(section: Uint8Array, maxPages: number, memoryMiB: number): Uint8Array {
  const count = readLeb(section, 0)
  const out: Uint8Array[] = [leb(count.value)]
  let at = count.next
  for (let index = 0; index < count.value; index++) {
    const limits = readLimits(section, at)
    at = limits.next
    if (limits.flags & SHARED) throw new InvalidComponentError('Cannot load a component with shared memory')
    if (limits.minimum > maxPages) {
      const wanted = Math.ceil((limits.minimum * PAGE_BYTES) / 1024 / 1024)
      throw new InvalidComponentError(
        `Cannot load this component: it starts with ${wanted} MiB of memory and permissions.memoryMiB is ${memoryMiB}`,
      )
    }
    const maximum = Math.min(limits.maximum ?? maxPages, maxPages)
    out.push(Uint8Array.of(limits.flags | HAS_MAXIMUM), leb(limits.minimum), leb(maximum))
  }
  return Buffer.concat([...out, section.subarray(at)])
}

function limitTables(section: Uint8Array): Uint8Array {
  const count = readLeb(section, 0)
  const out: Uint8Array[] = [leb(count.value)]
  let at = count.next
  for (let index = 0; index < count.value; index++) {
    // 0x40 0x00 starts a table with an initialiser, whose expression we would have to parse to step over.
    if (section[at] === 0x40)
      throw new InvalidComponentError('Cannot load a component with initialised tables')
    const typeEnd = skipReferenceType(section, at)
    const type = section.subarray(at, typeEnd)
    const limits = readLimits(section, typeEnd)
    at = limits.next
    if (limits.minimum > MAX_TABLE_SLOTS) {
      throw new InvalidComponentError(
        `Cannot load this component: it starts with a table of ${limits.minimum} slots, at most ${MAX_TABLE_SLOTS} are allowed`,
      )
    }
    const maximum = Math.min(limits.maximum ?? MAX_TABLE_SLOTS, MAX_TABLE_SLOTS)
    out.push(type, Uint8Array.of(limits.flags | HAS_MAXIMUM), leb(limits.minimum), leb(maximum))
  }
  return Buffer.concat([...out, section.subarray(at)])
}

function readLimits(bytes: Uint8Array, start: number) {
  const flags = bytes[start]
  if (flags === undefined || flags & ~(HAS_MAXIMUM | SHARED | SIXTY_FOUR_BIT)) {
    throw new InvalidComponentError(`Cannot read a core module: limits with flags ${flags} are not known`)
  }
  const minimum = readLeb(bytes, start + 1)
  if (!(flags & HAS_MAXIMUM)) return { flags, minimum: minimum.value, maximum: undefined, next: minimum.next }
  const maximum = readLeb(bytes, minimum.next)
  return { flags, minimum: minimum.value, maximum: maximum.value, next: maximum.next }
}

function leb(value: number): Uint8Array {
  const bytes: number[] = []
  do {
    const low = value % 128
    value = Math.floor(value / 128)
    bytes.push(value > 0 ? low | 0x80 : low)
  } while (value > 0)
  return Uint8Array.from(bytes)
}
