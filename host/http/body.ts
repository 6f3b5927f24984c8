/**
 * A response body that flows into a sink: no streams, since this runs for every chunk of every completion.
 * Nothing is held but what had arrived when it was paused, at most a few reads of the socket.
 */
export interface ResponseBody {
  /** Starts the flow; once. Without it the socket is paused after its first read. */
  pipe(sink: BodySink): void
  /** Stops reading from the socket; the peer feels it. Chunks that were under way are held back. */
  pause(): void
  resume(): void
  /** Frees the socket at once; the sink's `error` gets the reason. Idempotent, and nothing after the end. */
  cancel(reason?: Error): void
}

/** Gets chunks, then exactly one of `end` and `error`. A chunk may share its memory with others: do not transfer it. */
export interface BodySink {
  data(chunk: Uint8Array): void
  end(): void
  error(error: Error): void
}
