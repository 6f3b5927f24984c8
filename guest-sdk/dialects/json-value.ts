import { isRecord } from '../is-record.ts'
import { sourceTextAt } from './source-text.ts'

/** What parsing and writing again could change: digits that a number has no room for, and powers of ten. */
const FRAGILE_NUMBER = /\d{16}|\d[eE]/

/** Undefined where it is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * The JSON text of an object inside a document: as it was written where a number could suffer, else without blanks.
 * @param path Where in `json` the object stands.
 */
export function objectText(value: unknown, json: string, path: readonly (string | number)[]): string {
  if (!isRecord(value)) return '{}'
  return (FRAGILE_NUMBER.test(json) ? sourceTextAt(json, path) : undefined) ?? JSON.stringify(value)
}

/** A whole number of 0 or more; services also send null and -1 for what they do not count. */
export function readCount(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined
}

/** A text that says something. */
export function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
