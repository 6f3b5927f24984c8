import { InvalidOptionError } from '../errors.ts'

const MiB = 1024 * 1024

/** Bounds on everything that a guest can ask of the network, and that a service can answer. */
export interface HttpLimits {
  /** Name lookup, TCP and TLS together, milliseconds. */
  connectMs: number
  /** From the request being handed to a connection to the first byte of the answer's headers, milliseconds. */
  firstByteMs: number
  /** Between two pieces of a body that somebody is waiting for, milliseconds. */
  idleMs: number
  /** One exchange from request to the end of its body, redirects included, milliseconds. */
  totalMs: number
  /** Bytes of a request's body. */
  maxRequestBytes: number
  /** Bytes of a streamed response body, after decoding. */
  maxBodyBytes: number
  /** Bytes of a response body that is held as a whole, after decoding. */
  maxWholeBytes: number
  /** Decoded bytes for each encoded byte, counted from `ratioGraceBytes` on. */
  maxDecodeRatio: number
  /** Decoded bytes below which the ratio says nothing. */
  ratioGraceBytes: number
  /** Bytes of all header lines of a response. */
  maxResponseHeaderBytes: number
  /** Redirects followed where the guest set no lower number. */
  maxRedirects: number
  /** Sockets to one origin; what is over waits for a free one. */
  maxConnectionsPerOrigin: number
  /** Bytes of one line or one event of a framed body. */
  maxFrameBytes: number
  /** Response streams that one guest holds open through `fetch-stream`. */
  maxOpenStreams: number
}

export const DEFAULT_HTTP_LIMITS: Readonly<HttpLimits> = {
  // Two lost SYN packets (1 s and 3 s) and a slow TLS handshake fit; a dead host is told in one breath.
  connectMs: 15_000,
  // Local models read a long prompt for minutes before the first token. undici's own 300 s is known to kill them.
  firstByteMs: 600_000,
  // Hidden thinking without heartbeats has been seen to be silent for over five minutes.
  idleMs: 600_000,
  // Longer than any answer known; ends what drips for ever.
  totalMs: 6 * 3_600_000,
  // Above what services take (32 MB for Anthropic, 50 MB for OpenAI files in a request).
  maxRequestBytes: 64 * MiB,
  // A day of text; a flood ends here.
  maxBodyBytes: 1024 * MiB,
  // A generated image or a long transcript fits, a thousand of them would not fit in memory.
  maxWholeBytes: 64 * MiB,
  // Repetitive JSON streams reach 30 to 60; a bomb starts at 1,000.
  maxDecodeRatio: 200,
  ratioGraceBytes: 4 * MiB,
  // Node's own 16 KiB is too small for services behind several proxies.
  maxResponseHeaderBytes: 64 * 1024,
  // What browsers use.
  maxRedirects: 20,
  // More than one process streams at once; keeps a guest from using up the file descriptors.
  maxConnectionsPerOrigin: 1_024,
  // Base64 images of 10 MB come as one line. A line of 100 MB is an attack or a fault.
  maxFrameBytes: 32 * MiB,
  maxOpenStreams: 64,
}

/** Characters of a URL: what servers take (8 KiB to 16 KiB), before they answer 414. */
export const MAX_URL_CHARS = 16_384

/** Fills in the defaults. Throws InvalidOptionError for a limit that is not a positive integer. */
export function resolveHttpLimits(limits: Partial<HttpLimits> = {}): HttpLimits {
  const resolved = { ...DEFAULT_HTTP_LIMITS }
  for (const name of Object.keys(DEFAULT_HTTP_LIMITS) as (keyof HttpLimits)[]) {
    const value = limits[name]
    if (value === undefined) continue
    const least = name === 'maxRedirects' ? 0 : 1
    if (!Number.isSafeInteger(value) || value < least) {
      throw new InvalidOptionError(
        `Cannot use limits.${name}: it must be an integer of ${least} or more: current value is ${String(value)}`,
      )
    }
    resolved[name] = value
  }
  return resolved
}
