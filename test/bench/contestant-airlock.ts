import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAirlock } from '../../host/index.ts'
import { repoRoot } from '../support/repo-root.ts'
import { HOLD, modelOf, PACES } from './answer.ts'
import type { Contestant } from './contestant.ts'

const EXTENSION = 'openai-compatible'

/** The sandboxed extension, called as an app would call it. */
export async function createAirlockContestant(url: string): Promise<Contestant> {
  const home = await mkdtemp(join(tmpdir(), 'airlock-bench-'))
  const availableModels = [...PACES.map(modelOf), HOLD].map(name => ({ name, maxTokens: 32_768 }))
  const airlock = await createAirlock({
    home,
    env: {},
    settings: { providers: { [EXTENSION]: { apiUrl: `${url}/v1`, availableModels } } },
  })
  await airlock.load(join(repoRoot, 'extensions', EXTENSION))

  const request = (model: string) => ({
    model: `${EXTENSION}/${model}`,
    messages: [{ role: 'user' as const, content: 'Go on.' }],
  })

  return {
    name: 'Airlock',
    async answer(model) {
      let text = ''
      for await (const event of airlock.complete(request(model))) {
        if (event.type === 'text') text += event.text
      }
      return text
    },
    async open(model) {
      const abort = new AbortController()
      const answer = airlock.complete(request(model), { signal: abort.signal })[Symbol.asyncIterator]()
      for (;;) {
        const { done, value } = await answer.next()
        if (done) throw new Error('The answer ended before its first text')
        if (value.type === 'text') break
      }
      return {
        async release() {
          abort.abort()
          await answer.return?.()
        },
      }
    },
    instances() {
      return airlock.stats().extensions.find(extension => extension.id === EXTENSION)?.instances ?? 0
    },
    async [Symbol.asyncDispose]() {
      await airlock.close()
      await rm(home, { recursive: true, force: true })
    },
  }
}
