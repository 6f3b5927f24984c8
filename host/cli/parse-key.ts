import { UsageError } from './cli-errors.ts'

/**
 * The parts of a settings key: `providers.acme.apiUrl`; a part that holds dots goes in quotes,
 * as in `aliases."gpt-4.1"`.
 * @throws {UsageError} where a quote stays open or a part is empty.
 */
export function parseKey(key: string): string[] {
  const parts: string[] = []
  const part = /(?:"([^"]*)"|([^."]*))(\.|$)/y
  let isMore = true
  while (isMore) {
    const start = part.lastIndex
    const match = part.exec(key)
    const name = match?.[1] ?? match?.[2]
    if (!match || !name)
      throw new UsageError(
        `Cannot read the key ${key}: expected names with dots between, e.g. providers.acme.apiUrl; at character ${start + 1}`,
      )
    parts.push(name)
    isMore = match[3] === '.'
  }
  return parts
}
