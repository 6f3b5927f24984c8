let running = false

/** Called when the host first enters the component: from now on the host's functions answer. */
export function markRunning(): void {
  running = true
}

/**
 * Code outside of functions runs while the component is built, and its memory becomes the snapshot that
 * every instance starts from. There is no host then to ask.
 */
export function requireRunning(what: string): void {
  if (running) return
  throw new Error(
    `Cannot use ${what} here: code outside of functions runs when the extension is built, where there is no host; move it into a function`,
  )
}
