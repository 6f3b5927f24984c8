import { base64ToBytes } from '../base64.ts'

/** QuickJS has no TextEncoder. All the work is done by native functions: a loop costs ten times as much. */
export class TextEncoder {
  readonly encoding = 'utf-8'

  encode(input: unknown = ''): Uint8Array<ArrayBuffer> {
    const text = String(input).toWellFormed()
    return base64ToBytes(btoa(unescape(encodeURIComponent(text))))
  }

  encodeInto(source: string, destination: Uint8Array): { read: number; written: number } {
    let read = 0
    let written = 0
    for (const character of source) {
      const bytes = this.encode(character)
      if (written + bytes.length > destination.length) break
      destination.set(bytes, written)
      written += bytes.length
      read += character.length
    }
    return { read, written }
  }
}
