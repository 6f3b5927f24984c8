import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import type { RecordedFacts } from './tape.ts'

export const FACTS_FILE = 'facts.json'

const tokens = z.int().transform(BigInt)
const texts = z.record(z.string(), z.string())
const settingsSchema = z.strictObject({
  apiUrl: z.string().exactOptional(),
  availableModels: z.array(
    z.strictObject({
      name: z.string(),
      displayName: z.string().exactOptional(),
      maxTokens: tokens,
      maxOutputTokens: tokens.exactOptional(),
      thinkingBudget: z.number().exactOptional(),
    }),
  ),
})
const factsSchema = z.strictObject({
  credentials: texts,
  env: texts,
  settings: z.record(z.string(), settingsSchema).default({}),
})

/** Undefined where there are none: a recording without them is one of an extension that needs none. */
export async function readFacts(folder: string): Promise<RecordedFacts | undefined> {
  try {
    return factsSchema.parse(JSON.parse(await readFile(join(folder, FACTS_FILE), 'utf8')))
  } catch {
    return undefined
  }
}

/** With counts as numbers, which is what JSON has. */
export function factsText(facts: RecordedFacts): string {
  const plain = (_: string, value: unknown) => (typeof value === 'bigint' ? Number(value) : value)
  return JSON.stringify(facts, plain, 2)
}

/** What a recording keeps: the first credential of each provider, signed out or not, and the latest of the rest. */
export function addFacts(before: RecordedFacts, now: RecordedFacts): RecordedFacts {
  return {
    credentials: { ...now.credentials, ...before.credentials },
    env: { ...before.env, ...now.env },
    settings: { ...before.settings, ...now.settings },
  }
}

/** What a guest gets in replay: settings of the recording where the user has none. */
export function replayedFacts(recorded: RecordedFacts, own: RecordedFacts): RecordedFacts {
  const settings = { ...recorded.settings }
  for (const [provider, mine] of Object.entries(own.settings)) {
    const before = settings[provider]
    const models = mine.availableModels.length > 0 ? mine : (before ?? mine)
    settings[provider] = { ...before, ...mine, availableModels: models.availableModels }
  }
  return { ...recorded, settings }
}
