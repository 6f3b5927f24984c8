import { AsyncLocalStorage } from 'node:async_hooks'

/** Sandboxed tools that wait for the tool that one of them called; the one that waits longest comes first. */
export type Callers = readonly string[]

// What a program's tool calls in between belongs to the same chain, whether or not its author thinks of it: without
// that, a circle through such a tool would hold ever more instances of a sandbox until none is left.
const chain = new AsyncLocalStorage<Callers>()

/** Who waits for what runs now. */
export function callersNow(): Callers {
  return chain.getStore() ?? []
}

/** Runs `run` with these waiting for it, and everything that it begins. */
export function calledBy<Result>(callers: Callers, run: () => Result): Result {
  return chain.run(callers, run)
}

/** Each holds an instance of its extension while it waits. */
const MAX_CALLERS = 8

/** Why `id` cannot be called by the last of these, in a sentence for its author; undefined where it can. */
export function chainProblem(callers: Callers, id: string): string | undefined {
  const path = [...callers, id].map(name => `"${name}"`).join(' -> ')
  if (callers.includes(id)) return `Cannot call "${id}": it waits for this very call: ${path}`
  if (callers.length >= MAX_CALLERS)
    return `Cannot call "${id}": at most ${MAX_CALLERS} tools may wait for one another: ${path}`
  return undefined
}
