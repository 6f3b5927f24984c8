import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A recorded body as it goes over the wire: `.chunks.txt` files lost their framing when they were recorded. */
export function bodyOf(folder: string, file: string): Buffer {
  const recorded = readFileSync(join(folder, file))
  if (!file.endsWith('.chunks.txt')) return recorded
  const documents = recorded.toString('utf8').split('\n').filter(Boolean)
  return Buffer.from([...documents, '[DONE]'].map(document => `data: ${document}\n\n`).join(''))
}

/** Every item of every `reasoning_details` in the body, in order. */
export function reasoningDetailsOf(body: Buffer): unknown[] {
  return body
    .toString('utf8')
    .split('\n')
    .filter(line => line.startsWith('data: {'))
    .map(line => JSON.parse(line.slice('data: '.length)) as Chunk)
    .flatMap(chunk => chunk.choices?.flatMap(choice => choice.delta?.reasoning_details ?? []) ?? [])
}

interface Chunk {
  choices?: { delta?: { reasoning_details?: unknown[] } }[]
}
