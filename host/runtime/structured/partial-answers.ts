import { parse } from 'jsonriver'
import type { CompletionEvent } from '../../contract/events.ts'

// A copy costs as much as the answer is long: it is taken when there is this much more of it, so that all copies
// together cost about 32 times the whole, however small the pieces are that it comes in.
const GROWTH = 1 / 32

/**
 * The answer's object as far as it has come: each a copy of its own, the last one whole where the answer is. Texts may
 * be cut off, numbers and the like are whole. Nothing is checked, and what is no JSON ends it without an error.
 */
export async function* partialAnswers(events: AsyncIterable<CompletionEvent>): AsyncGenerator<unknown> {
  const iterator = events[Symbol.asyncIterator]()
  const begin = createBeginning()
  let failure: { error: unknown } | undefined
  let isOver = false
  let fed = 0

  async function next(): Promise<IteratorResult<string>> {
    for (;;) {
      const event = await nextEvent()
      if (!event) return { done: true, value: undefined }
      const text = event.type === 'text' ? begin(event.text) : ''
      if (text === '') continue
      fed += text.length
      return { done: false, value: text }
    }
  }

  async function nextEvent(): Promise<CompletionEvent | undefined> {
    try {
      const { done, value } = await iterator.next()
      isOver = done === true
      return done ? undefined : value
    } catch (error) {
      isOver = true
      failure = { error }
      return undefined
    }
  }

  try {
    let latest: { value: unknown } | undefined
    let copyAt = 0
    try {
      for await (const value of parse({ [Symbol.asyncIterator]: () => ({ next }) })) {
        latest = { value }
        if (fed < copyAt) continue
        copyAt = fed + Math.max(1, fed * GROWTH)
        latest = undefined
        yield structuredClone(value)
      }
    } catch {
      // It is no JSON, or no more: prose follows, or it was cut off. `object()` says which.
    }
    if (latest) yield latest.value
    // To leave now would be taken for having seen enough, and cancel the rest.
    while (!isOver) await nextEvent()
    if (failure) throw failure.error
  } finally {
    if (!isOver) await iterator.return?.()
  }
}

/** Drops what stands in front of the JSON. */
function createBeginning(): (text: string) => string {
  let hasBegun = false
  let isProse = false
  return text => {
    if (hasBegun) return text
    const first = isProse ? -1 : text.search(/\S/)
    if (!isProse && first < 0) return ''
    if (!isProse && /[{["\d-]/.test(text[first] as string)) {
      hasBegun = true
      return text.slice(first)
    }
    isProse = true
    const bracket = text.search(/[{[]/)
    if (bracket < 0) return ''
    hasBegun = true
    return text.slice(bracket)
  }
}
