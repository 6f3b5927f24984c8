import type { CompletionEvent, Emit } from './events.ts'
import { isRecord } from './is-record.ts'

/** One piece of a tool call, in whatever shape a service sent it: every field may be missing, blank or repeated. */
export interface ToolCallDelta {
  id?: unknown
  /** The call's place among the answer's calls, where the service counts them. */
  index?: unknown
  name?: unknown
  /** The next piece of the arguments' JSON text, or the arguments as an object. */
  arguments?: unknown
  /** Opaque; goes back to the service byte for byte. */
  thoughtSignature?: string | undefined
}

export interface ToolCallBuffer {
  /** Takes one piece; emits the `tool-input-delta` that follows from it, if any. */
  push(delta: ToolCallDelta, emit: Emit): void
  /** True once a call has begun. */
  readonly hasCalls: boolean
  /** Every call has a name and complete arguments: an object's JSON text, or none at all. */
  readonly isComplete: boolean
  /**
   * The answer is over: emits each call once, in the order in which they began. A call is never finished
   * before, since a prefix that parses proves nothing (`1` may become `12`).
   * `cutOff` says why the answer broke off, where it did: then only arguments that cannot go on are complete.
   */
  finish(emit: Emit, cutOff?: string): void
}

interface Call {
  /** What the caller sees; given on the first piece and never changed. */
  id: string
  wireId: string | undefined
  index: number | undefined
  name: string | undefined
  text: string
  /** Arguments that came as objects, merged. */
  object: Record<string, unknown> | undefined
  /** How much of `text` has been emitted as deltas. */
  emitted: number
  thoughtSignature: string | undefined
}

type Evidence = { id: string | undefined; index: number | undefined; name: string | undefined; args: unknown }

/**
 * Puts the pieces of an answer's tool calls together: by id, then by index, then by name. Services leave each
 * of the three out, blank them, repeat them, count wrongly or use one twice; no piece is dropped for that.
 * Ids are unique: one that is blank or taken is replaced.
 */
export function createToolCallBuffer(newId: () => string = randomToolCallId): ToolCallBuffer {
  const calls: Call[] = []
  const ids = new Set<string>()
  let latest: Call | undefined

  function uniqueId(wanted: string | undefined): string {
    let id = wanted ?? newId()
    while (ids.has(id)) id = newId()
    ids.add(id)
    return id
  }

  function open(evidence: Evidence): Call | undefined {
    const { id, index, name, args } = evidence
    // A placeholder such as `{"index":0}` begins nothing.
    if (id === undefined && name === undefined && (args === undefined || args === '')) return undefined
    const call: Call = {
      id: uniqueId(id),
      wireId: id,
      index,
      name,
      text: '',
      object: undefined,
      emitted: 0,
      thoughtSignature: undefined,
    }
    calls.push(call)
    return call
  }

  function push(delta: ToolCallDelta, emit: Emit): void {
    const evidence: Evidence = {
      id: readId(delta.id),
      index: Number.isInteger(delta.index) ? (delta.index as number) : undefined,
      name: nonBlank(delta.name),
      args: delta.arguments ?? undefined,
    }
    const call = findCall(calls, latest, evidence) ?? open(evidence)
    if (!call) return
    latest = call
    call.wireId ??= evidence.id
    call.index ??= evidence.index
    call.name ??= evidence.name
    call.thoughtSignature ??= delta.thoughtSignature
    addArguments(call, evidence.args)
    if (call.name === undefined || call.object !== undefined || call.text.length === call.emitted) return
    // It may still come to nothing, and nothing becomes `{}`.
    if (call.emitted === 0 && MAY_BE_NOTHING.test(call.text)) return
    emit({ type: 'tool-input-delta', id: call.id, name: call.name, delta: call.text.slice(call.emitted) })
    call.emitted = call.text.length
  }

  return {
    push,
    get hasCalls() {
      return calls.length > 0
    },
    get isComplete() {
      return calls.every(
        call => call.name !== undefined && (isBlank(call) || isWholeObject(argumentsOf(call))),
      )
    },
    finish(emit, cutOff) {
      for (const call of calls) finishCall(call, cutOff, emit)
    },
  }
}

/** The open call that a piece belongs to; undefined where it begins a new one. */
function findCall(calls: readonly Call[], latest: Call | undefined, evidence: Evidence): Call | undefined {
  const { id, index, name } = evidence
  if (id !== undefined) {
    const sameId = calls.filter(call => call.wireId === id)
    const call =
      sameId.findLast(call => call.index === index) ??
      // An id used twice: the index tells the calls apart, as long as the piece can begin a call.
      sameId.findLast(call => index === undefined || call.index === undefined || name === undefined)
    if (call) return beginsAnother(call, evidence) ? undefined : call
  }
  const sameIndex = index === undefined ? undefined : calls.findLast(call => call.index === index)
  if (sameIndex) return continues(sameIndex, evidence) ? sameIndex : undefined
  if (latest === undefined || (index !== undefined && latest.index !== undefined)) return undefined
  // No label fits. What the latest call still lacks is its own; else the text must read as a continuation.
  if (id !== undefined && name !== undefined) {
    return latest.wireId === undefined && latest.name === undefined ? latest : undefined
  }
  if (id !== undefined) return latest.wireId === undefined || continuesText(evidence) ? latest : undefined
  if (name !== undefined) {
    return latest.name === undefined || (latest.name === name && continuesText(evidence)) ? latest : undefined
  }
  if (calls.length === 1 || !isWholeObject(latest.text)) return latest
  const unfinished = calls.filter(call => !isWholeObject(call.text))
  return unfinished.length === 1 ? unfinished[0] : latest
}

/** A piece that carries a call's index belongs to it, unless it shows the marks of another call's start. */
function continues(call: Call, evidence: Evidence): boolean {
  const { id, name, args } = evidence
  if (beginsAnother(call, evidence)) return false
  if (name !== undefined && call.name !== undefined && name !== call.name) return false
  // An index used for a second call: a new id with a name, and arguments that start afresh or not yet.
  if (id !== undefined && call.wireId !== undefined && name !== undefined) {
    return !startsAfresh(args) && !(isNothing(args) && isWholeObject(call.text))
  }
  return true
}

/** Named, with arguments from their first brace, after this call's own are whole: the next call under used labels. */
function beginsAnother(call: Call, { name, args }: Evidence): boolean {
  if (name === undefined || typeof args !== 'string') return false
  return startsAfresh(args) && args !== call.text && isWholeObject(call.text)
}

function continuesText({ args }: Evidence): boolean {
  return typeof args === 'string' && args !== '' && !startsAfresh(args)
}

function startsAfresh(args: unknown): boolean {
  return typeof args === 'string' ? /^\s*[{[]/.test(args) : args !== undefined
}

function isNothing(args: unknown): boolean {
  return args === undefined || (typeof args === 'string' && args.trim() === '')
}

function addArguments(call: Call, args: unknown): void {
  if (typeof args === 'string') {
    // The whole call sent once more, after its pieces.
    if (args.length > 1 && args === call.text && isWholeObject(args)) return
    call.text += args
  } else if (isRecord(args)) {
    // Spread defines own properties, so `__proto__` stays a plain key.
    call.object = { ...call.object, ...args }
  } else if (args !== undefined) {
    call.text += JSON.stringify(args)
  }
}

function finishCall(call: Call, cutOff: string | undefined, emit: Emit): void {
  const raw = argumentsOf(call).toWellFormed()
  const { id } = call
  if (call.name === undefined) {
    const error = 'The service sent arguments for a tool that it did not name.'
    emit({ type: 'tool-use-json-parse-error', id, name: 'unknown', rawInput: raw, error })
    return
  }
  const name = call.name
  if (cutOff !== undefined && !isWholeObject(raw)) {
    emit({ type: 'tool-use-json-parse-error', id, name, rawInput: raw, error: cutOff })
    return
  }
  const input = isBlank(call) ? '{}' : raw
  const error = jsonError(input)
  if (error !== undefined) {
    emit({ type: 'tool-use-json-parse-error', id, name, rawInput: raw, error })
    return
  }
  // What the deltas have not told yet, so that joined they are the input: `{}` for nothing, or an object.
  if (input.length > call.emitted && (call.emitted === 0 || call.object === undefined)) {
    emit({ type: 'tool-input-delta', id, name, delta: input.slice(call.emitted) })
  }
  const use: CompletionEvent = { type: 'tool-use', id, name, input }
  if (call.thoughtSignature !== undefined) use.thoughtSignature = call.thoughtSignature
  emit(use)
}

function argumentsOf(call: Call): string {
  return call.object === undefined || isWholeObject(call.text) ? call.text : JSON.stringify(call.object)
}

/** Blanks, or the word null as far as it has come. */
const MAY_BE_NOTHING = /^\s*(?:n|nu|nul|null)?\s*$/

/** No arguments: nothing, blanks, or the word null. */
function isBlank(call: Call): boolean {
  return call.object === undefined && /^\s*(null\s*)?$/.test(call.text)
}

function isWholeObject(text: string): boolean {
  // Asked for unfinished arguments too, however long: look at both ends before parsing.
  const last = text.at(-1)
  return (last === '}' || last?.trim() === '') && /^\s*\{/.test(text) && jsonError(text) === undefined
}

function jsonError(text: string): string | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function readId(value: unknown): string | undefined {
  return typeof value === 'number' ? String(value) : nonBlank(value)
}

function nonBlank(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz012345'

/** Nine letters and digits: the narrowest rule that a service has for the ids it is sent back. */
function randomToolCallId(): string {
  let id = ''
  for (const byte of crypto.getRandomValues(new Uint8Array(9))) id += ALPHABET[byte % ALPHABET.length]
  return id
}
