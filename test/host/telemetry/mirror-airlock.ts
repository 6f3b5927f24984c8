import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Airlock,
  type AirlockOptions,
  type CompletionRequest,
  createAirlock,
  createMemoryStore,
} from '../../../host/index.ts'
import { mirrorExtension } from '../../systems/mirror-extension.ts'

export interface MirrorAirlock extends AsyncDisposable {
  airlock: Airlock
  /** A completion in which the extension gives these events, and then fails where `fail` says so. */
  ask(
    events: unknown[],
    more?: Partial<CompletionRequest> & { fail?: unknown },
  ): ReturnType<Airlock['complete']>
}

/** What the user says in each of these completions. */
export const PROMPT = 'prompt-kept-private'

/** An airlock whose one extension says what a test wants it to, without a network. */
export async function mirrorAirlock(options: AirlockOptions = {}): Promise<MirrorAirlock> {
  const home = await mkdtemp(join(tmpdir(), 'airlock-telemetry-'))
  const airlock = await createAirlock({ home, env: {}, credentials: createMemoryStore(), ...options })
  await airlock.load(await mirrorExtension())
  return {
    airlock,
    ask: (events, { fail, ...more } = {}) =>
      airlock.complete({
        model: 'mirror/large',
        messages: [{ role: 'user', content: PROMPT }],
        providerOptions: { events, ...(fail !== undefined && { fail }) },
        ...more,
      }),
    async [Symbol.asyncDispose]() {
      await airlock.close()
      await rm(home, { recursive: true, force: true })
    },
  }
}
