/**
 * Reads what a service sent: unknown in, typed value out, and the error names the path. `optional` readers
 * take undefined and null for absent.
 */

/** A value at a path is not of the type that was wanted. */
export class UnexpectedValueError extends TypeError {
  /** e.g. `choices[0].delta.content`. */
  readonly path: string

  constructor(path: string, expected: string, value: unknown) {
    super(`${path} must be ${expected}: it is ${describe(value)}`)
    this.name = 'UnexpectedValueError'
    this.path = path
  }
}

export type JsonObject = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** @throws {UnexpectedValueError} */
export function readObject(value: unknown, path: string): JsonObject {
  if (!isObject(value)) throw new UnexpectedValueError(path, 'an object', value)
  return value
}

/** @throws {UnexpectedValueError} */
export function readOptionalObject(value: unknown, path: string): JsonObject | undefined {
  return value === undefined || value === null ? undefined : readObject(value, path)
}

/** @throws {UnexpectedValueError} */
export function readArray(value: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new UnexpectedValueError(path, 'an array', value)
  return value
}

/** @throws {UnexpectedValueError} */
export function readOptionalArray(value: unknown, path: string): readonly unknown[] | undefined {
  return value === undefined || value === null ? undefined : readArray(value, path)
}

/** @throws {UnexpectedValueError} */
export function readString(value: unknown, path: string): string {
  if (typeof value !== 'string') throw new UnexpectedValueError(path, 'a string', value)
  return value
}

/** @throws {UnexpectedValueError} */
export function readOptionalString(value: unknown, path: string): string | undefined {
  return value === undefined || value === null ? undefined : readString(value, path)
}

/** A finite number. @throws {UnexpectedValueError} */
export function readNumber(value: unknown, path: string): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    throw new UnexpectedValueError(path, 'a number', value)
  }
  return value
}

/** @throws {UnexpectedValueError} */
export function readOptionalNumber(value: unknown, path: string): number | undefined {
  return value === undefined || value === null ? undefined : readNumber(value, path)
}

/** @throws {UnexpectedValueError} */
export function readBoolean(value: unknown, path: string): boolean {
  if (typeof value !== 'boolean') throw new UnexpectedValueError(path, 'true or false', value)
  return value
}

/** @throws {UnexpectedValueError} */
export function readOptionalBoolean(value: unknown, path: string): boolean | undefined {
  return value === undefined || value === null ? undefined : readBoolean(value, path)
}

function describe(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}...` : value)
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (value === null || value === undefined) return value === null ? 'null' : 'missing'
  return Array.isArray(value) ? 'an array' : 'an object'
}
