import type { FromSandbox, ToSandbox } from './protocol.ts'

/** One end of the line to a sandbox, whatever carries it. */
export interface Channel {
  post(message: ToSandbox, transfer?: readonly ArrayBuffer[]): void
  /** Computing time of the sandbox so far, endless loop or not; undefined where this system does not tell. */
  cpuMs(): Promise<number | undefined>
  /** Ends the sandbox at once, endless loop or not. Idempotent. */
  kill(): Promise<void>
}

export interface ChannelEvents {
  message(message: FromSandbox): void
  /** The sandbox ended without being killed. `reason` is for a person. */
  died(reason: string): void
  /** What the sandbox printed, which no honest one does. */
  output(text: string): void
}

export type OpenChannel = (events: ChannelEvents, memoryMiB: number) => Channel
