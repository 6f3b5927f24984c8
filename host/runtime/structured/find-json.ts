// More than that in one answer is no answer.
const MAX_FOUND = 20

const BEGINNING = /\{\s*["}]|\[\s*["\]{[\-\dtfn]/g

/**
 * The values of JSON that a text may mean: the whole, else what stands in fences and in prose, the longest first.
 * Nothing inside of what was cut off: a part must not pass for the whole. Nothing is repaired.
 */
export function findJson(text: string): unknown[] {
  const whole = read(text.trim())
  if (whole) return [whole.value]
  const found = [...fenced(text), ...bracketed(text)]
  return found
    .sort((one, other) => other.length - one.length)
    .flatMap(each => read(each) ?? [])
    .map(({ value }) => value)
}

function read(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** Lines between fences. A line of JSON cannot begin with one. */
function fenced(text: string): string[] {
  const found: string[] = []
  let open = text.indexOf('```')
  while (open >= 0 && found.length < MAX_FOUND) {
    const begin = text.indexOf('\n', open)
    const end = begin < 0 ? -1 : text.indexOf('\n```', begin)
    if (end < 0) break
    found.push(text.slice(begin, end).trim())
    open = text.indexOf('```', end + 4)
  }
  return found
}

/** What stands in brackets, prose around it. */
function bracketed(text: string): string[] {
  const found: string[] = []
  for (let at = 0; at < text.length && found.length < MAX_FOUND; ) {
    BEGINNING.lastIndex = at
    const beginning = BEGINNING.exec(text)
    if (!beginning) break
    const end = closingOf(text, beginning.index)
    if (end < 0) break
    found.push(text.slice(beginning.index, end))
    at = end
  }
  return found
}

/** The place behind the bracket that closes the one at `start`; -1 where nothing does. */
function closingOf(text: string, start: number): number {
  let depth = 0
  let isText = false
  for (let at = start; at < text.length; at++) {
    const char = text[at]
    if (isText) {
      if (char === '\\') at++
      else if (char === '"') isText = false
    } else if (char === '"') isText = true
    else if (char === '{' || char === '[') depth++
    else if ((char === '}' || char === ']') && --depth === 0) return at + 1
  }
  return -1
}
