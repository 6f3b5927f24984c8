import { expect } from 'vitest'
import type { CompletionEvent } from '../../host/contract/events.ts'
import type { Expectation } from './expectation.ts'

/** How an answer went, as its caller saw it. */
export interface Outcome {
  events: CompletionEvent[]
  error?: { kind: string; code: string; message: string; status?: number }
}

/** Asserts that what came is what the stream says, and that the law of the event stream was kept. */
export function expectOutcome(
  outcome: Outcome,
  expected: Expectation,
  reasoningDetails: unknown[] = [],
): void {
  const { events, error } = outcome
  const of = <Type extends CompletionEvent['type']>(type: Type) =>
    events.filter((event): event is Extract<CompletionEvent, { type: Type }> => event.type === type)

  expect(
    of('text')
      .map(event => event.text)
      .join(''),
  ).toBe(expected.text)
  expect(
    of('thinking')
      .map(event => event.text)
      .join(''),
  ).toBe(expected.thinking ?? '')
  expect(of('tool-use').map(withoutType)).toEqual(expected.toolUses ?? [])
  expect(of('tool-use-json-parse-error').map(({ id, name, rawInput }) => ({ id, name, rawInput }))).toEqual(
    expected.brokenCalls ?? [],
  )
  expect(of('citation').map(event => event.url)).toEqual(expected.citations ?? [])
  expect(of('reasoning-details').flatMap(event => JSON.parse(event.data) as unknown)).toEqual(
    expected.reasoningDetails ? reasoningDetails : [],
  )
  expect(of('usage').map(withoutType)).toEqual(expected.usage ? [expected.usage] : [])

  const [metadata] = of('response-metadata')
  expect(metadata?.id).toBe(expected.id)
  expect(metadata?.model).toBe(expected.model)

  if (expected.error) {
    expect(error).toMatchObject({ kind: expected.error.kind, code: expected.error.code })
    expect(error?.message).toMatch(expected.error.message)
    expect(of('stop')).toEqual([])
  } else {
    expect(error).toBeUndefined()
    expect(of('stop')).toEqual([{ type: 'stop', reason: expected.stop }])
  }
  expectLaw(events)
}

/** `started` first, `usage` at most once and right before the end, nothing after `stop`; deltas make up their call. */
function expectLaw(events: readonly CompletionEvent[]): void {
  const types = events.map(event => event.type)
  if (types.length > 0) expect(types.indexOf('started')).toBe(0)
  expect(types.lastIndexOf('started')).toBe(types.length > 0 ? 0 : -1)
  const stop = types.indexOf('stop')
  if (stop !== -1) expect(stop).toBe(types.length - 1)
  const usage = types.indexOf('usage')
  if (usage !== -1) expect(usage).toBe(stop === -1 ? types.length - 1 : stop - 1)
  for (const call of events) {
    if (call.type !== 'tool-use') continue
    const deltas = events.filter(event => event.type === 'tool-input-delta' && event.id === call.id)
    const joined = deltas.map(event => (event.type === 'tool-input-delta' ? event.delta : '')).join('')
    if (joined !== '') expect(call.input).toBe(joined)
  }
}

function withoutType<Event extends { type: string }>(event: Event): Omit<Event, 'type'> {
  const { type: _, ...fields } = event
  return fields
}
