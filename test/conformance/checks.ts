import assert from 'node:assert/strict'
import { ProviderError } from '../../host/errors.ts'
import type { Seen } from './bench.ts'
import { type Dialect, type ScriptedAnswer, SOME_USAGE } from './services/service.ts'

/** Checks that a caller saw an answer, all of it and nothing else, in the order of the law. */
export function checkSeen(seen: Seen, answer: ScriptedAnswer, dialect: Dialect): void {
  const { events, result } = seen
  if (seen.error !== undefined) throw seen.error
  assert.ok(result)
  const types = events.map(event => event.type)
  assert.equal(types[0], 'started')
  assert.deepEqual(types.slice(-2), ['usage', 'stop'])
  assert.equal(types.indexOf('stop'), types.length - 1)
  assert.equal(types.indexOf('usage'), types.length - 2)
  const { pieces, usage = SOME_USAGE } = answer
  const texts = pieces.flatMap(piece => ('text' in piece ? [piece.text] : []))
  const thoughts = pieces.flatMap(piece => ('thinking' in piece ? [piece.thinking] : []))
  const calls = pieces.flatMap(piece => ('call' in piece ? [piece.call] : []))
  assert.equal(result.text, texts.join(''))
  assert.equal(joined(seen, 'text'), texts.join(''))
  assert.equal(joined(seen, 'thinking'), thoughts.join(''))
  assert.deepEqual(
    result.toolUses.map(({ name, input }) => ({ name, input })),
    calls.map(({ name, input }) => ({ name, input })),
  )
  for (const { id, input } of result.toolUses) {
    const deltas = events.flatMap(event =>
      event.type === 'tool-input-delta' && event.id === id ? [event.delta] : [],
    )
    assert.equal(deltas.join(''), input)
  }
  const wanted = dialect.stops.includes(answer.stop) ? answer.stop : 'end-turn'
  assert.equal(result.stopReason, wanted)
  assert.equal(result.usage?.inputTokens, usage.input)
  assert.equal(result.usage?.outputTokens, usage.output)
  if (usage.cacheRead !== undefined && dialect.usage.includes('cacheRead'))
    assert.equal(result.usage?.cacheReadInputTokens, usage.cacheRead)
  if (usage.reasoning !== undefined && dialect.usage.includes('reasoning'))
    assert.equal(result.usage?.reasoningTokens, usage.reasoning)
}

/** Checks that nothing was sent, and that the error says what cannot be. */
export function checkRefused({ error, requests }: Seen): void {
  assert.ok(error instanceof ProviderError, `refused with ${String(error)}`)
  assert.equal(error.kind, 'unsupported')
  assert.match(error.message, /^Cannot send /)
  assert.equal(requests.length, 0)
}

/** All that was told of one kind, joined. */
export function joined({ events }: Pick<Seen, 'events'>, type: 'text' | 'thinking'): string {
  return events.flatMap(event => (event.type === type ? [event.text] : [])).join('')
}

/** Checks that a completion failed, with an error that a person can read. */
export function checkFailed(seen: Seen, kinds?: readonly string[]): ProviderError {
  const { error, events } = seen
  assert.ok(error instanceof ProviderError, error === undefined ? 'it ended well' : String(error))
  if (kinds) assert.ok(kinds.includes(error.kind), `kind ${error.kind}: ${error.message}`)
  assert.ok(error.message.length > 3 && error.message.length < 500, error.message)
  assert.doesNotMatch(error.message, /\[object|<html|<body|undefined/i)
  assert.ok(!events.some(event => event.type === 'stop'))
  return error
}
