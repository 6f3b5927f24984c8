export interface BoundedFetchOptions {
  /** Of one JSON answer, or of one event of a stream. */
  maxMessageBytes: number
  /** The answer to a message broke off: nobody else would tell those who wait for it. */
  broken(error: Error): void
}

/** A `fetch` whose answers end with an error where they are too large. */
export function boundedFetch({ maxMessageBytes, broken }: BoundedFetchOptions) {
  return async (url: string | URL, init?: RequestInit): Promise<Response> => {
    const response = await fetch(url, init)
    if (response.body === null) return response
    const isStream = /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '')
    const isAnswer = init?.method === 'POST'
    const reader = response.body.getReader()
    let size = 0
    let last = 0
    let isCancelled = false
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          if (isCancelled) return
          if (done) return controller.close()
          for (const byte of isStream ? value : []) {
            // An empty line ends an event; it may be cut between two chunks, and its end may be CR LF.
            if (byte === LF && last === LF) size = 0
            if (byte !== CR) last = byte
          }
          size += value.byteLength
          if (size > maxMessageBytes)
            throw new Error(`it sent a message of more than ${maxMessageBytes} bytes`)
          controller.enqueue(value)
        } catch (error) {
          if (isCancelled) return
          void reader.cancel().catch(() => {})
          controller.error(error)
          if (isAnswer && !init?.signal?.aborted)
            broken(error instanceof Error ? error : new Error(String(error)))
        }
      },
      cancel(reason) {
        isCancelled = true
        return reader.cancel(reason)
      },
    })
    const { status, statusText, headers } = response
    const bounded = new Response(body, { status, statusText, headers })
    // The transport compares it to tell a redirect; a response that was made has none.
    Object.defineProperty(bounded, 'url', { value: response.url })
    Object.defineProperty(bounded, 'redirected', { value: response.redirected })
    Object.defineProperty(bounded, 'type', { value: response.type })
    return bounded
  }
}

const LF = 10
const CR = 13
