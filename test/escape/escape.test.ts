import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { attacks } from './attacks/index.ts'
import { createStage, type Isolation, type Stage } from './stage.ts'

describe.each<Isolation>(['thread', 'process'])('hostile extensions behind a %s', isolation => {
  let stage: Stage

  beforeAll(async () => {
    stage = await createStage(isolation)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  // `perform` checks what must hold for all of them: no key in anything seen, nothing at the canary, an error with a
  // code, and an honest extension that streams beside it undisturbed.
  test.each(attacks.map(attack => [attack.tries, attack] as const))(
    '%s',
    { timeout: 60_000 },
    async (_, attack) => {
      expect(await stage.perform(attack)).not.toBe('')
    },
  )
})
