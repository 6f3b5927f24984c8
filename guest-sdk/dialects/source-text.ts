/**
 * The text of one value inside a JSON document, as it was written: parsing and writing it again would change
 * large numbers. `json` must be valid; undefined where the path leads nowhere.
 */
export function sourceTextAt(json: string, path: readonly (string | number)[]): string | undefined {
  let at = skipBlanks(json, 0)
  for (const step of path) {
    const found = json[at] === (typeof step === 'string' ? '{' : '[') ? findItem(json, at, step) : undefined
    if (found === undefined) return undefined
    at = found
  }
  return json.slice(at, endOfValue(json, at))
}

function findItem(json: string, container: number, step: string | number): number | undefined {
  let found: number | undefined
  let at = skipBlanks(json, container + 1)
  for (let place = 0; at < json.length && json[at] !== '}' && json[at] !== ']'; place++) {
    let key: unknown = place
    if (typeof step === 'string') {
      const keyEnd = endOfValue(json, at)
      key = JSON.parse(json.slice(at, keyEnd))
      at = skipBlanks(json, skipBlanks(json, keyEnd) + 1)
    }
    // Of a key that stands there twice the last one counts, as in JSON.parse.
    if (key === step) found = at
    at = skipBlanks(json, endOfValue(json, at))
    if (json[at] === ',') at = skipBlanks(json, at + 1)
  }
  return found
}

function endOfValue(json: string, start: number): number {
  const first = json[start]
  if (first === '"') return endOfString(json, start)
  if (first !== '{' && first !== '[') {
    const rest = /[^,\]}\s]*/y
    rest.lastIndex = start
    rest.test(json)
    return rest.lastIndex
  }
  let depth = 0
  for (let at = start; at < json.length; at++) {
    const char = json[at]
    if (char === '"') at = endOfString(json, at) - 1
    else if (char === '{' || char === '[') depth++
    else if ((char === '}' || char === ']') && --depth === 0) return at + 1
  }
  return json.length
}

function endOfString(json: string, start: number): number {
  let at = start + 1
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1
  return at + 1
}

function skipBlanks(json: string, start: number): number {
  let at = start
  while (at < json.length && /\s/.test(json[at] as string)) at++
  return at
}
