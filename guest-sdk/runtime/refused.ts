/** What a component cannot have, and what to use instead. */
const SENTENCES = {
  fetch: 'fetch() answers with a promise, which never settles here: call context.fetch(), which blocks',
  setTimeout: 'setTimeout() would never fire: an extension runs only while the host calls it',
  setInterval: 'setInterval() would never fire: an extension runs only while the host calls it',
  setImmediate: 'setImmediate() would never fire: an extension runs only while the host calls it',
  queueMicrotask: 'queueMicrotask() would never run: provider functions are synchronous',
  random: 'Math.random() gives the same numbers in every instance: use crypto.getRandomValues()',
} as const

/** A function that throws its sentence. */
export function refused(name: keyof typeof SENTENCES): () => never {
  return () => {
    throw new Error(SENTENCES[name])
  }
}
