import { TransportError } from '../errors.ts'
import type { ResponseBody } from './body.ts'

/** The whole body. Throws TransportError 'too-large' past `maxBytes`, with the rest not read. */
export function readBody(body: ResponseBody, maxBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let length = 0
    body.pipe({
      data(chunk) {
        length += chunk.length
        if (length > maxBytes) {
          body.cancel(
            new TransportError(
              'too-large',
              `The answer is longer than ${maxBytes} bytes, the most that is held`,
            ),
          )
          return
        }
        chunks.push(chunk)
      },
      end: () => resolve(join(chunks, length)),
      error: reject,
    })
  })
}

function join(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    whole.set(chunk, offset)
    offset += chunk.length
  }
  return whole
}
