/** What stands in place of a secret. Of plain letters and brackets: it breaks neither JSON nor a header. */
export const REDACTED = '[redacted]'

/** Shorter values are no secrets, and taking "true" or "us" out of every answer would break it. */
const MIN_SECRET_CHARS = 8
/** Spellings kept of secrets that nothing stands for; the oldest go first. A rotated credential leaves its old value. */
const MAX_SPELLINGS = 512

/** Stands for a stand-in that there is none of: the guest read the secret itself. */
const OVERHEARD = Symbol('overheard')

/** Takes known secrets out of what leaves the host: answers on their way to a guest, logs, errors. */
export interface Redactor {
  text(text: string): string
  /** For one body: a secret is found wherever the network cut it. */
  stream(): RedactingStream
  readonly knowsSecrets: boolean
}

export interface RedactingStream {
  /** What can be told by now; the very same chunk where there is nothing to take out or to wait for. */
  push(chunk: Uint8Array): Uint8Array
  /** What was held back in case it became a secret. */
  flush(): Uint8Array
}

/** The secrets of a redactor. */
export interface RedactionList {
  /**
   * Adds a secret in every spelling that an answer is likely to give it. `standIn`: the word that stands for it from
   * here on, and for no other; while it does, the secret is not forgotten.
   */
  add(secret: string, standIn?: string): void
  /** The word stands for nothing any more; its secret stays redacted. */
  release(standIn: string): void
  /** Adds a secret that a guest has of its own: taken out of logs, and not of the answers that brought it. */
  addOverheard(secret: string): void
  /** Adds one exact text: a value made of a secret, such as that of an `authorization: Basic` header. */
  addSpelling(spelling: string): void
  readonly redactor: Redactor
  /** Puts a secret's stand-in in its place, where it has one. */
  readonly standInRedactor: Redactor
}

type Mark = string | typeof OVERHEARD | undefined

/**
 * A secret is found as it is, percent-encoded (either case), JSON-escaped (with and without `\/`), and in each
 * exact text that was made of it for a request. Not found: other encodings of it, and a secret that somebody
 * takes apart. Where no secret is known nothing is searched.
 */
export function createRedactionList(): RedactionList {
  /** By stand-in, the spellings of what it stands for: a guest that stores much cannot push them out. */
  const live = new Map<string, { secret: string; spellings: string[] }>()
  const past = new Map<string, Mark>()
  let finder = createFinder([])
  let standInFinder = createFinder([])

  function rebuild(): void {
    const marks = new Map(past)
    for (const [standIn, { spellings }] of live)
      for (const spelling of spellings) marks.set(spelling, standIn)
    finder = createFinder([...marks.keys()].map(text => [text, REDACTED]))
    standInFinder = createFinder(
      [...marks].flatMap(([text, mark = REDACTED]) => (mark === OVERHEARD ? [] : [[text, mark] as const])),
    )
  }

  /** True where it is new. */
  function keep(spelling: string, mark: Mark): boolean {
    if (spelling.length < MIN_SECRET_CHARS) return false
    const isNew = !past.has(spelling) || (mark !== undefined && past.get(spelling) !== mark)
    const before = past.get(spelling)
    // To the end: what came last is the last to go.
    past.delete(spelling)
    past.set(spelling, mark ?? before)
    if (past.size > MAX_SPELLINGS) {
      for (const oldest of past.keys()) {
        past.delete(oldest)
        break
      }
    }
    return isNew
  }

  function retire(standIn: string, mark: Mark): void {
    for (const spelling of live.get(standIn)?.spellings ?? []) keep(spelling, mark)
    live.delete(standIn)
  }

  function redactorOf(current: () => Finder): Redactor {
    return {
      get knowsSecrets() {
        return live.size + past.size > 0
      },
      text: text => current().text(text),
      stream: () => createStream(current),
    }
  }

  return {
    add(secret, standIn) {
      if (standIn !== undefined && live.get(standIn)?.secret === secret) return
      if (standIn !== undefined) retire(standIn, standIn)
      // By itself a short text is no secret, however long an encoding makes it.
      const spellings = secret.length < MIN_SECRET_CHARS ? [] : spellingsOf(secret)
      if (standIn !== undefined) live.set(standIn, { secret, spellings })
      else if (!spellings.map(spelling => keep(spelling, undefined)).includes(true)) return
      rebuild()
    },
    release(standIn) {
      retire(standIn, undefined)
      rebuild()
    },
    addOverheard(secret) {
      const isLive = [...live.values()].some(held => held.secret === secret)
      if (secret.length < MIN_SECRET_CHARS || isLive || past.has(secret)) return
      for (const spelling of spellingsOf(secret)) keep(spelling, OVERHEARD)
      rebuild()
    },
    addSpelling(spelling) {
      if (keep(spelling, undefined)) rebuild()
    },
    redactor: redactorOf(() => finder),
    standInRedactor: redactorOf(() => standInFinder),
  }
}

function spellingsOf(secret: string): string[] {
  const percent = encodeURIComponent(secret.toWellFormed())
  const json = JSON.stringify(secret).slice(1, -1)
  return [
    secret,
    percent,
    percent.replace(/%[0-9A-F]{2}/g, code => code.toLowerCase()),
    percent.replaceAll('%20', '+'),
    json,
    json.replaceAll('/', '\\/'),
  ]
}

interface Finder {
  text(text: string): string
  /** Takes secrets out of `bytes`; `rest` is the tail that could be the start of one, unless they are the last. */
  bytes(bytes: Buffer, areLast: boolean): { clean: Uint8Array; rest: Buffer | undefined }
  readonly isEmpty: boolean
}

function createFinder(spellings: readonly (readonly [text: string, mark: string])[]): Finder {
  // Longest first: the percent-encoded spelling of a secret may begin with another's.
  const texts = spellings.toSorted(([a], [b]) => b.length - a.length)
  const patterns = texts.map(([text]) => Buffer.from(text))
  const marks = texts.map(([, mark]) => Buffer.from(mark))
  const longest = patterns[0]?.length ?? 0
  // The bytes that can stand before a secret's last: an event that ends with a line feed holds nothing back.
  const inside = new Uint8Array(256)
  for (const pattern of patterns) for (const byte of pattern.subarray(0, -1)) inside[byte] = 1

  /** Where the tail begins that could become a secret, or the length. */
  function tailStart(bytes: Buffer, from: number): number {
    if (inside[bytes[bytes.length - 1] ?? 0] === 0) return bytes.length
    for (let start = Math.max(from, bytes.length - longest + 1); start < bytes.length; start++) {
      const length = bytes.length - start
      for (const pattern of patterns) {
        if (pattern.length <= length || pattern[0] !== bytes[start]) continue
        if (bytes.compare(pattern, 0, length, start) === 0) return start
      }
    }
    return bytes.length
  }

  return {
    isEmpty: patterns.length === 0,
    text(text) {
      let clean = text
      for (const [secret, mark] of texts)
        if (clean.includes(secret)) clean = clean.replaceAll(secret, () => mark)
      return clean
    },
    bytes(bytes, areLast) {
      // A secret that is complete inside the tail waits as well: it may be the beginning of a longer one.
      let end = areLast ? bytes.length : tailStart(bytes, 0)
      const pieces: Uint8Array[] = []
      let from = 0
      // The next place of each pattern is kept: a body full of secrets is still searched once for each.
      const next = patterns.map(pattern => bytes.indexOf(pattern))
      for (;;) {
        let at = -1
        let found = 0
        for (let i = 0; i < patterns.length; i++) {
          const pattern = patterns[i]!
          if (next[i]! !== -1 && next[i]! < from) next[i] = bytes.indexOf(pattern, from)
          const place = next[i]!
          if (place !== -1 && (at === -1 || place < at)) {
            at = place
            found = i
          }
        }
        if (at === -1 || at >= end) break
        pieces.push(bytes.subarray(from, at), marks[found]!)
        from = at + patterns[found]!.length
        if (from > end) end = tailStart(bytes, from)
      }
      const rest = end < bytes.length ? bytes.subarray(end) : undefined
      if (pieces.length === 0) return { clean: rest === undefined ? bytes : bytes.subarray(0, end), rest }
      pieces.push(bytes.subarray(from, end))
      return { clean: Buffer.concat(pieces), rest }
    },
  }
}

function createStream(current: () => Finder): RedactingStream {
  let held: Buffer | undefined
  return {
    push(chunk) {
      const finder = current()
      if (finder.isEmpty && held === undefined) return chunk
      const bytes = asBuffer(chunk)
      const joined = held === undefined ? bytes : Buffer.concat([held, bytes])
      const { clean, rest } = finder.bytes(joined, false)
      // A copy: the chunk's memory belongs to the socket's next read as well.
      held = rest === undefined ? undefined : Buffer.from(rest)
      return clean === bytes ? chunk : clean
    },
    flush() {
      const rest = held ?? Buffer.alloc(0)
      held = undefined
      return current().bytes(rest, true).clean
    },
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
