import type { Emit } from '../../events.ts'
import { isRecord } from '../../is-record.ts'
import { objectText, readText } from '../json-value.ts'
import { readBase64 } from '../media.ts'
import { sourceTextAt } from '../source-text.ts'
import type { ToolNames } from '../tool-names.ts'
import { type CallItem, createCallItem } from './call-item.ts'
import { createCitations } from './citations.ts'
import { type ItemOrigin, toImageDetails, toItemEnvelope, toMessageDetails } from './opaque-items.ts'
import { createTexts, type Texts } from './texts.ts'

type Fields = Record<string, unknown>

/** Puts the output items of one answer together: they may come interleaved, and each event names its item. */
export interface Items {
  added(event: Fields, data: string, emit: Emit): void
  /** A piece of a message, or all of it (`isWhole`). */
  text(event: Fields, of: 'text' | 'refusal', isWhole: boolean, emit: Emit): void
  /** A piece of what the model thinks: its own words, or a summary of them. */
  thinking(event: Fields, of: 'text' | 'summary', isWhole: boolean, emit: Emit): void
  /** A piece of a call's arguments. */
  args(event: Fields, isWhole: boolean, data: string, emit: Emit): void
  annotation(event: Fields, emit: Emit): void
  /** @param path Where in `data`, the frame's text, the item stands. */
  done(event: Fields, data: string, path: readonly (string | number)[], emit: Emit): void
  /** The answer is over: calls that were not ended are told now. `cutOff` says why it broke off, where it did. */
  finish(emit: Emit, cutOff?: string): void
  readonly isEmpty: boolean
  readonly hasCalls: boolean
  readonly isRefused: boolean
}

export interface ItemsOptions extends ItemOrigin {
  names: ToolNames | undefined
  newId: () => string
}

type Item = { index: unknown; id: string | undefined; isDone: boolean } & (
  | { kind: 'message'; texts: Texts }
  | { kind: 'reasoning'; texts: Texts; source: 'text' | 'summary' | undefined }
  | { kind: 'call'; call: CallItem }
  | { kind: 'other' }
)

export function createItems({ names, newId, ...origin }: ItemsOptions): Items {
  const items: Item[] = []
  const ids = new Set<string>()
  const tellCitations = createCitations()
  let hasCalls = false
  let isRefused = false

  function uniqueId(wanted?: string): string {
    let id = wanted ?? newId()
    while (ids.has(id)) id = newId()
    ids.add(id)
    return id
  }

  /** By its place, since some services change an item's id from event to event; by id where places are shared. */
  function find(event: Fields, wanted?: Item['kind']): Item | undefined {
    const id = readText(event.item_id) ?? (isRecord(event.item) ? readText(event.item.id) : undefined)
    const fits = items.filter(item => wanted === undefined || item.kind === wanted)
    const here =
      event.output_index === undefined ? [] : fits.filter(item => item.index === event.output_index)
    if (here.length === 1) return here[0]
    const sameId = (list: readonly Item[]) => list.findLast(item => id !== undefined && item.id === id)
    if (here.length > 1) return sameId(here) ?? here.at(-1)
    return sameId(fits) ?? (event.output_index === undefined && id === undefined ? fits.at(-1) : undefined)
  }

  function open(event: Fields, item: Fields): Item {
    const head = { index: event.output_index, id: readText(item.id), isDone: false }
    const opened = ((): Item => {
      switch (item.type) {
        case 'message':
          return { ...head, kind: 'message', texts: createTexts('') }
        case 'reasoning':
          return { ...head, kind: 'reasoning', texts: createTexts('\n\n'), source: undefined }
        case 'function_call':
          hasCalls = true
          return { ...head, kind: 'call', call: createCallItem(item, { names, uniqueId }) }
        default:
          return { ...head, kind: 'other' }
      }
    })()
    items.push(opened)
    return opened
  }

  function readMessage(item: Item & { kind: 'message' }, whole: Fields, emit: Emit): void {
    const parts = Array.isArray(whole.content) ? whole.content.filter(isRecord) : []
    const texts = parts.map(part => readText(part.text) ?? readText(part.refusal) ?? '')
    const isTold = item.texts.length >= texts.join('').length
    parts.forEach((part, at) => {
      const of = part.type === 'refusal' ? 'refusal' : 'text'
      if (!isTold && texts[at] !== '') tellText(item, of, at, texts[at]!, true, emit)
      if (part.annotations !== undefined) tellCitations(part.annotations, emit)
    })
    const phase = readText(whole.phase)
    const { length } = item.texts
    if (phase !== undefined && length > 0) {
      emit({ type: 'reasoning-details', data: toMessageDetails({ length, phase }) })
    }
  }

  function tellText(
    item: Item & { kind: 'message' },
    of: 'text' | 'refusal',
    part: unknown,
    text: string,
    isWhole: boolean,
    emit: Emit,
  ): void {
    if (of === 'refusal') isRefused = true
    const words = item.texts.take(part, text, isWhole)
    if (words !== '') emit({ type: 'text', text: words })
  }

  function tellThinking(
    item: Item & { kind: 'reasoning' },
    of: 'text' | 'summary',
    part: unknown,
    text: string,
    isWhole: boolean,
    emit: Emit,
  ): void {
    // Services that send both say the same in both.
    item.source ??= of
    if (item.source !== of) return
    const words = item.texts.take(part, text, isWhole)
    if (words !== '') emit({ type: 'thinking', text: words })
  }

  function readReasoning(item: Item & { kind: 'reasoning' }, whole: Fields, json: string, emit: Emit): void {
    for (const [of, list] of [
      ['text', whole.content],
      ['summary', whole.summary],
    ] as const) {
      const texts = Array.isArray(list) ? list.map(part => (isRecord(part) && readText(part.text)) || '') : []
      if (item.texts.length >= texts.join('').length) continue
      texts.forEach((text, at) => {
        if (text !== '') tellThinking(item, of, at, text, true, emit)
      })
    }
    // Nothing but an id and a summary means nothing to a service that has not kept the answer.
    const hasContent = Array.isArray(whole.content) && whole.content.length > 0
    if (hasContent || readText(whole.encrypted_content) !== undefined) {
      emit({ type: 'reasoning-details', data: toItemEnvelope(origin, json) })
    }
  }

  function readOther(whole: Fields, json: string, emit: Emit): void {
    const result = readText(whole.result)
    if (whole.type === 'image_generation_call' && result !== undefined) {
      const format = readText(whole.output_format) ?? 'png'
      const { base64, mediaType } = readBase64(result, `image/${format}`, 'image/png')
      emit({ type: 'image', source: base64, mediaType })
      const id = readText(whole.id)
      if (id !== undefined) {
        emit({ type: 'reasoning-details', data: toImageDetails({ service: origin.service, id }) })
      }
      return
    }
    emit({ type: 'provider-content', data: toItemEnvelope(origin, json) })
  }

  return {
    added(event, data, emit) {
      const { item } = event
      if (!isRecord(item)) return
      const opened = open(event, item)
      if (opened.kind === 'call') complete(opened.call, item.arguments, data, ['item', 'arguments'], emit)
    },
    text(event, of, isWhole, emit) {
      const text = readPiece(isWhole ? (of === 'refusal' ? event.refusal : event.text) : event.delta)
      if (text === '') return
      // One that nobody announced: what reads as text is not lost.
      const item = find(event, 'message') ?? open(event, { type: 'message', id: event.item_id })
      if (item.kind === 'message' && !item.isDone) {
        tellText(item, of, event.content_index ?? 0, text, isWhole, emit)
      }
    },
    thinking(event, of, isWhole, emit) {
      const text = readPiece(isWhole ? event.text : event.delta)
      if (text === '') return
      const item = find(event, 'reasoning') ?? open(event, { type: 'reasoning', id: event.item_id })
      const part = (of === 'summary' ? event.summary_index : event.content_index) ?? 0
      if (item.kind === 'reasoning' && !item.isDone) tellThinking(item, of, part, text, isWhole, emit)
    },
    args(event, isWhole, data, emit) {
      const item = find(event, 'call')
      if (item?.kind !== 'call' || item.isDone) return
      if (isWhole) complete(item.call, event.arguments, data, ['arguments'], emit)
      else item.call.push(readPiece(event.delta), emit)
    },
    annotation: (event, emit) => tellCitations(event.annotation, emit),
    done(event, data, path, emit) {
      const whole = event.item
      if (!isRecord(whole)) return
      const kind = whole.type === 'function_call' ? 'call' : whole.type
      const found = find(event)
      // Sent once more.
      if (found?.isDone && found.index === event.output_index && found.id === readText(whole.id)) return
      const item = found && !found.isDone && matches(found, kind) ? found : open(event, whole)
      const json = () => sourceTextAt(data, path) ?? JSON.stringify(whole)
      if (item.kind === 'call') {
        complete(item.call, whole.arguments, data, [...path, 'arguments'], emit)
        // Cut off: whether that was the end of the answer, and why, is told later.
        if (whole.status === 'incomplete' || whole.status === 'in_progress') return
        item.call.finish(emit)
      } else if (item.kind === 'message') readMessage(item, whole, emit)
      else if (item.kind === 'reasoning') readReasoning(item, whole, json(), emit)
      else readOther(whole, json(), emit)
      item.isDone = true
    },
    finish(emit, cutOff) {
      for (const item of items) {
        if (item.kind === 'call' && !item.isDone) item.call.finish(emit, cutOff)
        item.isDone = true
      }
    },
    get isEmpty() {
      return items.length === 0
    },
    get hasCalls() {
      return hasCalls
    },
    get isRefused() {
      return isRefused
    },
  }
}

function matches(item: Item, kind: unknown): boolean {
  return item.kind === 'other'
    ? kind !== 'message' && kind !== 'reasoning' && kind !== 'call'
    : item.kind === kind
}

/** Arguments as a text, or as an object. */
function complete(
  call: CallItem,
  args: unknown,
  data: string,
  path: readonly (string | number)[],
  emit: Emit,
): void {
  if (isRecord(args)) call.complete(objectText(args, data, path), emit)
  else if (typeof args === 'string') call.complete(args, emit)
}

/** A piece is a text; some servers wrap it into an object. */
function readPiece(delta: unknown): string {
  if (typeof delta === 'string') return delta
  return isRecord(delta) && typeof delta.text === 'string' ? delta.text : ''
}
