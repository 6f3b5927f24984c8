import type { LogLine } from './protocol.ts'

/**
 * The part of WASI that a component may import besides the contract: clocks, random numbers, standard error, and the
 * streams that these are written with. Toolchains of other languages put them into every component.
 */
export const WASI_OFFERED = [
  'wasi:cli/stderr',
  'wasi:clocks/monotonic-clock',
  'wasi:clocks/wall-clock',
  'wasi:io/error',
  'wasi:io/poll',
  'wasi:io/streams',
  'wasi:random/insecure',
  'wasi:random/insecure-seed',
  'wasi:random/random',
]

const NANOSECONDS_PER_MS = 1_000_000n
// What a guest may write in one go; more is written in pieces.
const WRITE_BYTES = 64 * 1024
// They are made outside of the guest's own memory.
const MAX_RANDOM_BYTES = 1024n * 1024n
// A guest that writes no line end does not gather memory here.
const MAX_LINE_UNITS = 8_192

/** Everything is there at once or never: what waits for a clock would hold up its instance and all of its streams. */
class Pollable {
  ready(): boolean {
    return true
  }

  block(): void {}
}

function refuseToSleep(): never {
  throw new Error('This guest wants to sleep: a sandboxed guest cannot wait for a clock')
}

class IoError {
  toDebugString(): string {
    return 'closed'
  }
}

/** Nothing is ever read. */
class InputStream {
  read(): never {
    throw { tag: 'closed' }
  }

  blockingRead(): never {
    return this.read()
  }

  skip(): never {
    return this.read()
  }

  blockingSkip(): never {
    return this.read()
  }

  subscribe(): Pollable {
    return new Pollable()
  }
}

class OutputStream {
  readonly #write: (contents: Uint8Array) => void

  constructor(write: (contents: Uint8Array) => void) {
    this.#write = write
  }

  checkWrite(): bigint {
    return BigInt(WRITE_BYTES)
  }

  write(contents: Uint8Array): void {
    this.#write(contents)
  }

  blockingWriteAndFlush(contents: Uint8Array): void {
    this.#write(contents)
  }

  flush(): void {}

  blockingFlush(): void {}

  subscribe(): Pollable {
    return new Pollable()
  }

  writeZeroes(): void {}

  blockingWriteZeroesAndFlush(): void {}

  splice(): never {
    throw { tag: 'closed' }
  }

  blockingSplice(): never {
    return this.splice()
  }
}

/** The import objects of one instance. What it writes to standard error are lines of its log. */
export async function createWasi(log: (line: LogLine) => void): Promise<Record<string, unknown>> {
  // Loaded for the few components that import it.
  const { insecure, insecureSeed, random } = await import('@bytecodealliance/preview2-shim/random')
  const getRandomBytes = (count: bigint) => {
    if (count > MAX_RANDOM_BYTES)
      throw new RangeError(`A guest gets at most ${MAX_RANDOM_BYTES} random bytes a call`)
    return random.getRandomBytes(count)
  }
  const stderr = new OutputStream(toLines(message => log({ level: 'info', message })))
  return {
    'wasi:cli/stderr': { getStderr: () => stderr },
    'wasi:clocks/monotonic-clock': {
      now: () => process.hrtime.bigint(),
      resolution: () => 1n,
      subscribeInstant: refuseToSleep,
      subscribeDuration: refuseToSleep,
    },
    'wasi:clocks/wall-clock': {
      now() {
        const ms = Date.now()
        return {
          seconds: BigInt(Math.floor(ms / 1000)),
          nanoseconds: (ms % 1000) * Number(NANOSECONDS_PER_MS),
        }
      },
      resolution: () => ({ seconds: 0n, nanoseconds: Number(NANOSECONDS_PER_MS) }),
    },
    'wasi:io/error': { Error: IoError },
    'wasi:io/poll': {
      Pollable,
      poll: (pollables: readonly Pollable[]) => Uint32Array.from(pollables.keys()),
    },
    'wasi:io/streams': { InputStream, OutputStream },
    'wasi:random/insecure': { ...insecure, getInsecureRandomBytes: getRandomBytes },
    'wasi:random/insecure-seed': insecureSeed,
    'wasi:random/random': { ...random, getRandomBytes },
  }
}

function toLines(line: (text: string) => void): (contents: Uint8Array) => void {
  const decoder = new TextDecoder()
  let rest = ''
  return contents => {
    const pieces = (rest + decoder.decode(contents, { stream: true })).split('\n')
    rest = pieces.pop() ?? ''
    for (const piece of pieces) if (piece !== '') line(piece.slice(0, MAX_LINE_UNITS))
    if (rest.length < MAX_LINE_UNITS) return
    line(rest.slice(0, MAX_LINE_UNITS))
    rest = ''
  }
}
