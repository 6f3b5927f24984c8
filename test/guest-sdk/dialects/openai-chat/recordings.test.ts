import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { cutAt, cutPositions, oneByOne } from '../../../servers/cuts.ts'
import { streams } from '../../../streams/expected.ts'
import { repoRoot } from '../../../support/repo-root.ts'
import { bodyOf, reasoningDetailsOf } from '../../../upstream/body-of.ts'
import type { Expectation } from '../../../upstream/expectation.ts'
import { recordings, recordingsFolder } from '../../../upstream/recordings.ts'
import { type Answer, framesOf, readAnswer } from './read-answer.ts'

/** Larger bodies are cut at a sample of the places. */
const LARGE_BODY_BYTES = 16_000
const SAMPLE = 500

const read = (pieces: readonly Uint8Array[]): Answer => readAnswer(framesOf(pieces))

function expectAnswer(answer: Answer, expected: Expectation, body: Buffer): void {
  expect(answer).toEqual({
    text: expected.text,
    ...(expected.thinking !== undefined && { thinking: expected.thinking }),
    ...(expected.toolUses && { calls: expected.toolUses.map(({ id, name, input }) => [id, name, input]) }),
    ...(expected.brokenCalls && {
      broken: expected.brokenCalls.map(({ id, name, rawInput }) => [id, name, rawInput, expect.any(String)]),
    }),
    ...(expected.citations && { citations: expected.citations }),
    ...(expected.reasoningDetails && { details: [reasoningDetailsOf(body)] }),
    ...(expected.usage && { usage: expected.usage }),
    ...(expected.id !== undefined && { id: expected.id }),
    ...(expected.model !== undefined && { model: expected.model }),
    ...(expected.stop !== undefined && { stop: expected.stop }),
    // What ends with nothing to say why is an error of the host's: nothing is told here.
    ...(expected.error && expected.error.kind !== 'network' && { error: expect.objectContaining({}) }),
  })
  if (answer.error) {
    expect(answer.error.kind).toBe(expected.error?.kind)
    expect(answer.error.message).toMatch(expected.error?.message ?? /^$/)
  }
}

const sources: [folder: string, bodies: Record<string, Expectation>][] = [
  [join(repoRoot, 'test/streams'), streams],
  [recordingsFolder, recordings],
]

for (const [folder, bodies] of sources) {
  describe.each(Object.entries(bodies))('%s', (file, expected) => {
    const isThere = existsSync(join(folder, file))

    test('createChatDecoder: reads what the stream says', ({ skip }) => {
      if (!isThere) skip('the recordings are not beside the repository')
      const body = bodyOf(folder, file)
      expectAnswer(read([body]), expected, body)
    })

    test('createChatDecoder: says the same wherever the bytes are cut', ({ skip }) => {
      if (!isThere) skip('the recordings are not beside the repository')
      const body = bodyOf(folder, file)
      const whole = read([body])
      const positions = cutPositions(body.length, body.length > LARGE_BODY_BYTES ? SAMPLE : body.length + 1)
      for (const at of positions) expect(read(cutAt(body, at)), `cut at ${at}`).toEqual(whole)
      expect(read(oneByOne(body)), 'one byte at a time').toEqual(whole)
    })
  })
}
