/** From the bench to a contestant's process. */
export type Order =
  | { type: 'round'; model: string; streams: number }
  /** Opens answers that do not end, and weighs the process before and after. */
  | { type: 'hold'; model: string; streams: number }
  | { type: 'instances'; model: string }

/** And back, one for each order; `ready` comes first. */
export type Reply =
  | { type: 'ready' }
  | { type: 'round'; cpuMs: number; wallMs: number }
  | { type: 'hold'; idleMiB: number; openMiB: number }
  | { type: 'instances'; first: number; second: number }
  | { type: 'failed'; message: string }

export type ReplyTo<Type extends Order['type']> = Extract<Reply, { type: Type }>
