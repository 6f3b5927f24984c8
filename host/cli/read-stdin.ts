import type { Cli } from './cli.ts'
import { UsageError } from './cli-errors.ts'

/** More is not a prompt but a mistake, e.g. a disk image. */
const MAX_INPUT_BYTES = 64 * 1024 * 1024

/**
 * Standard input to its end, as text.
 * @throws {UsageError} where it is a terminal, is no UTF-8, or has more than 64 MiB.
 */
export async function readStdin({ stdin, signal }: Cli, whatFor: string): Promise<string> {
  if (stdin.isTTY) throw new UsageError(`Standard input is a terminal: give ${whatFor}, or pipe it in.`)
  const parts: Buffer[] = []
  let size = 0
  const stop = () => stdin.destroy(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  try {
    signal.throwIfAborted()
    for await (const part of stdin) {
      size += part.length
      if (size > MAX_INPUT_BYTES)
        throw new UsageError(`Standard input is too long: at most ${MAX_INPUT_BYTES} bytes.`)
      parts.push(part)
    }
  } finally {
    signal.removeEventListener('abort', stop)
  }
  try {
    return decodeUtf8(Buffer.concat(parts))
  } catch (cause) {
    throw new UsageError('Standard input is not UTF-8 text.', { cause })
  }
}

/** Text of a file or pipe, a byte order mark taken off. @throws {TypeError} where it is not UTF-8 */
export function decodeUtf8(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
}
