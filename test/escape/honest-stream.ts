import { setTimeout as sleep } from 'node:timers/promises'
import type { Airlock } from '../../host/index.ts'
import type { Answer } from '../servers/scripted.ts'

const PACE_MS = 10

/** Numbers, one event each, until the reader goes away. */
export function honestAnswer(): Answer {
  async function* body() {
    for (let count = 0; ; count++) {
      yield `data: ${JSON.stringify({ id: 'honest', choices: [{ index: 0, delta: { content: `${count} ` } }] })}\n\n`
      await sleep(PACE_MS)
    }
  }
  return { body: body() }
}

/** An honest extension's answer, running beside the attacks. */
export interface HonestStream {
  /** How many have come. */
  readonly events: number
  /** Waits until it has gone on; throws where it broke off or lost a piece. */
  expectUndisturbed(since: number): Promise<void>
  cancel(): void
}

export function createHonestStream(airlock: Airlock): HonestStream {
  const completion = airlock.complete({
    model: 'openai-compatible/m',
    messages: [{ role: 'user', content: 'Count.' }],
  })
  let next = 0
  let ended: unknown
  let wake = () => {}
  void (async () => {
    try {
      for await (const event of completion) {
        if (event.type !== 'text') continue
        for (const word of event.text.trim().split(' ')) {
          if (Number(word) !== next) throw new Error(`after ${next - 1} came ${word}`)
          next++
        }
        wake()
      }
      ended = new Error('it ended')
    } catch (error) {
      ended = error
    }
    wake()
  })()

  return {
    get events() {
      return next
    },
    async expectUndisturbed(since) {
      const until = Math.max(since, next) + 2
      while (next < until && ended === undefined) await new Promise<void>(resolve => (wake = resolve))
      if (ended !== undefined) throw new Error('the honest extension was disturbed', { cause: ended })
    },
    cancel: () => completion.cancel(),
  }
}
