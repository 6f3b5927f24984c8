import type { Emit } from '../../events.ts'
import { isRecord } from '../../is-record.ts'
import { objectText, readText } from '../json-value.ts'
import { sourceTextAt } from '../source-text.ts'
import type { ToolNames } from '../tool-names.ts'
import { type SignedPart, toProviderContent, toSignatureDetails } from './opaque-parts.ts'

/** Reads the parts of an answer. */
export interface Parts {
  /** @param path Where in `data`, the chunk's text, the part stands. */
  read(part: Record<string, unknown>, data: string, path: readonly (string | number)[], emit: Emit): void
  /** The model has called a tool. */
  readonly hasCalls: boolean
}

export function createParts(newId: () => string, names?: ToolNames): Parts {
  let hasCalls = false
  const ids = new Set<string>()

  function read(
    part: Record<string, unknown>,
    data: string,
    path: readonly (string | number)[],
    emit: Emit,
  ): void {
    const signature = readText(part.thoughtSignature)
    const sign = (of: SignedPart['of'], length: number) => {
      if (signature !== undefined)
        emit({ type: 'reasoning-details', data: toSignatureDetails({ of, length, signature }) })
    }
    if (isRecord(part.functionCall)) {
      readCall(part.functionCall, signature, data, [...path, 'functionCall'], emit)
      return
    }
    if (typeof part.text === 'string') {
      const isThought = part.thought === true
      if (part.text !== '') emit({ type: isThought ? 'thinking' : 'text', text: part.text })
      sign(isThought ? 'thought' : 'text', part.text.length)
      return
    }
    if (isRecord(part.inlineData) && part.thought !== true) {
      const { data: base64, mimeType } = part.inlineData
      if (typeof base64 === 'string' && String(mimeType).startsWith('image/')) {
        emit({ type: 'image', source: base64, mediaType: String(mimeType) })
        sign('image', 0)
        return
      }
    }
    // A signature may come in a part of its own.
    const holds = Object.keys(part).filter(field => field !== 'thoughtSignature' && field !== 'thought')
    if (holds.length === 0) sign(part.thought === true ? 'thought' : 'text', 0)
    else
      emit({
        type: 'provider-content',
        data: toProviderContent(sourceTextAt(data, path) ?? JSON.stringify(part)),
      })
  }

  function readCall(
    call: Record<string, unknown>,
    signature: string | undefined,
    data: string,
    path: readonly (string | number)[],
    emit: Emit,
  ): void {
    hasCalls = true
    const wireName = readText(call.name) ?? ''
    const name = names ? names.fromWire(wireName) : wireName
    let id = readText(call.id)
    if (id === undefined || ids.has(id)) id = newId()
    ids.add(id)
    const input = objectText(call.args, data, [...path, 'args']).toWellFormed()
    if (name === '') {
      const error = 'The service sent arguments for a tool that it did not name.'
      emit({ type: 'tool-use-json-parse-error', id, name: 'unknown', rawInput: input, error })
      return
    }
    emit({ type: 'tool-input-delta', id, name, delta: input })
    emit({
      type: 'tool-use',
      id,
      name,
      input,
      ...(signature !== undefined && { thoughtSignature: signature }),
    })
  }

  return {
    read,
    get hasCalls() {
      return hasCalls
    },
  }
}
