import type { CompletionEvent, TokenUsage } from '../../contract/events.ts'
import type { Ending } from './finish-reason.ts'
import { type Keepsake, type Keepsakes, rewriteJson } from './keepsakes.ts'
import type { JsonObject, SpecificationVersion, StreamPart } from './specification.ts'
import type { VersionWords } from './versions.ts'

export interface StreamPartsOptions<Version extends SpecificationVersion> {
  /** Under which what must come back is kept. */
  name: string
  keepsakes: Keepsakes
  words: VersionWords<Version>
  /** Every event goes out once more, as it is. */
  includeRaw: boolean
}

/** Turns the events of one answer into the parts that the SDK reads. The law of `CompletionEvent` is relied on. */
export interface StreamParts<Version extends SpecificationVersion> {
  of(event: CompletionEvent): StreamPart<Version>[]
  /** The answer failed after it had begun. */
  ofFailure(error: unknown, usage: TokenUsage | undefined, isInterrupted: boolean): StreamPart<Version>[]
}

type Block = 'text' | 'reasoning'

export function createStreamParts<Version extends SpecificationVersion>({
  name,
  keepsakes,
  words,
  includeRaw,
}: StreamPartsOptions<Version>): StreamParts<Version> {
  /** What is being written: at most one block of text or reasoning, and calls beside each other. */
  let block: { type: Block; id: string } | undefined
  const openCalls = new Map<string, string>()
  let usage: TokenUsage | undefined
  let count = 0
  let parts: StreamPart<Version>[] = []

  function emit(part: StreamPart<Version>) {
    parts.push(part)
  }

  function take(): StreamPart<Version>[] {
    const taken = parts
    parts = []
    return taken
  }

  function write(type: Block, delta: string) {
    const open = openBlock(type)
    if (delta !== '') emit({ type: `${type}-delta`, id: open.id, delta })
  }

  function openBlock(type: Block) {
    if (block?.type === type) return block
    closeBlock()
    block = { type, id: `${type}-${count++}` }
    emit({ type: `${type}-start`, id: block.id })
    return block
  }

  function closeBlock(keepsake?: Keepsake) {
    if (!block) return
    const { type, id } = block
    block = undefined
    emit({ type: `${type}-end`, id, ...(keepsake && { providerMetadata: keepsakes.toMetadata(keepsake) }) })
  }

  /** A block of reasoning that shows nothing and carries what must come back. */
  function carry(keepsake: Keepsake) {
    closeBlock()
    const providerMetadata = keepsakes.toMetadata(keepsake)
    const id = `reasoning-${count++}`
    emit({ type: 'reasoning-start', id, providerMetadata })
    emit({ type: 'reasoning-end', id, providerMetadata })
  }

  function writeCall(id: string, toolName: string, delta: string) {
    closeBlock()
    const written = openCalls.get(id)
    if (written === undefined) emit({ type: 'tool-input-start', id, toolName })
    openCalls.set(id, (written ?? '') + delta)
    emit({ type: 'tool-input-delta', id, delta })
  }

  function closeCall(id: string, toolName: string, input: string, keepsake: Keepsake) {
    closeBlock()
    const written = openCalls.get(id)
    if (written !== undefined) {
      // What had been written is what is called.
      if (input.length > written.length && input.startsWith(written))
        emit({ type: 'tool-input-delta', id, delta: input.slice(written.length) })
      emit({ type: 'tool-input-end', id })
      openCalls.delete(id)
    }
    const kept = Object.keys(keepsake).length > 0 ? { providerMetadata: keepsakes.toMetadata(keepsake) } : {}
    emit({ type: 'tool-call', toolCallId: id, toolName, input, ...kept })
  }

  function cite({ url, title, text }: { url?: string; title?: string; text?: string }) {
    const id = `source-${count++}`
    const kept = text === undefined ? {} : { providerMetadata: keepsakes.toMetadata({ citedText: text }) }
    if (url !== undefined)
      emit({ type: 'source', sourceType: 'url', id, url, ...(title !== undefined && { title }), ...kept })
    else {
      const shown = title ?? text ?? 'Source'
      emit({ type: 'source', sourceType: 'document', id, mediaType: 'text/plain', title: shown, ...kept })
    }
  }

  function keep(data: string) {
    const custom = words.custom(`${name}.provider-content`, keepsakes.toMetadata({ providerContent: data }))
    if (!custom) return carry({ providerContent: data })
    closeBlock()
    emit(custom)
  }

  function finish(ending: Ending) {
    closeBlock()
    for (const id of openCalls.keys()) emit({ type: 'tool-input-end', id })
    openCalls.clear()
    emit({
      type: 'finish',
      finishReason: words.finishReason(ending),
      usage: words.usage(usage),
      providerMetadata: { [name]: finishFacts(ending, usage) },
    })
  }

  function translate(event: CompletionEvent): void {
    switch (event.type) {
      case 'started':
        break
      case 'response-metadata': {
        const { id, model } = event
        const ids = { ...(id !== undefined && { id }), ...(model !== undefined && { modelId: model }) }
        emit({ type: 'response-metadata', timestamp: new Date(), ...ids })
        break
      }
      case 'text':
        write('text', event.text)
        break
      case 'thinking':
        write('reasoning', event.text)
        if (event.signature !== undefined) closeBlock({ signature: event.signature })
        break
      case 'redacted-thinking':
        carry({ redactedData: event.data })
        break
      case 'reasoning-details':
        carry({ reasoningDetails: event.data })
        break
      case 'provider-content':
        keep(event.data)
        break
      case 'tool-input-delta':
        writeCall(event.id, event.name, event.delta)
        break
      case 'tool-use': {
        const { id, input, thoughtSignature } = event
        closeCall(id, event.name, input, {
          ...(thoughtSignature !== undefined && { thoughtSignature }),
          ...(rewriteJson(input) !== input && { input }),
        })
        break
      }
      case 'tool-use-json-parse-error':
        closeCall(event.id, event.name, unparsable(event.rawInput), {})
        break
      case 'image': {
        closeBlock()
        const file = words.file(event)
        if (file) emit(file)
        else cite({ url: event.source, title: 'Image' })
        break
      }
      case 'citation':
        cite(event)
        break
      case 'usage': {
        const { type: _, ...reported } = event
        usage = reported
        break
      }
      case 'stop':
        finish(event.reason)
        break
      default:
        event satisfies never
    }
  }

  return {
    of(event) {
      if (includeRaw) emit({ type: 'raw', rawValue: event })
      translate(event)
      return take()
    },
    ofFailure(error, reported, isInterrupted) {
      usage = reported
      closeBlock()
      emit({ type: 'error', error })
      finish(isInterrupted ? 'interrupted' : 'failed')
      return take()
    },
  }
}

/** The SDK runs what it can parse, and nothing at all as `{}`: a call that must not run must not look like one. */
function unparsable(rawInput: string): string {
  if (rawInput.trim() === '') return `${rawInput}{`
  try {
    JSON.parse(rawInput)
    return `${rawInput}…`
  } catch {
    return rawInput
  }
}

/** What the unified reason and the counts do not tell. */
function finishFacts(ending: Ending, usage: TokenUsage | undefined): JsonObject {
  return { stopReason: ending, ...(usage?.cost && { cost: { ...usage.cost } }) }
}
