/** One entry of `messages`, as it goes out. */
export type WireMessage = Record<string, unknown> & { role: string }
