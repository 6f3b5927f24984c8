import type { StartReply } from './protocol.ts'

export interface BodyPiece {
  bytes: Uint8Array<ArrayBuffer> | undefined
  end: boolean
}

export interface SandboxCompletion extends StartReply {
  /**
   * Hands over bytes of the body, `end` with or after the last. `take` is called when they go, a few milliseconds
   * later in a busy stretch; their buffer is given away. Never rejects: what went wrong is in `failure`.
   */
  feed(take: () => BodyPiece): Promise<{ events: unknown[]; failure?: Error }>
  /** More has arrived for a `feed` that waits. */
  grown(): void
  /** Lets what waits go now. */
  flush(): void
  /** Asks what an answer outside 200-299 means. */
  reject(response: unknown): Promise<unknown>
  /** Called once where the guest died under it, between calls too. */
  onLost(listener: (error: Error) => void): void
  /** Frees the guest's resource. Idempotent. */
  drop(): void
}
