import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createAirlockProvider } from '../../../../host/adapters/ai-sdk/index.ts'
import type { CompletionEvent } from '../../../../host/contract/events.ts'
import { STOP_REASONS } from '../../../../host/contract/events.ts'
import { ProviderError } from '../../../../host/errors.ts'
import { answering } from './answering.ts'

type Part = { type: string; id?: string; delta?: string; toolCallId?: string; input?: string }

const words = fc.constantFrom('a', ' ', '{"a":', '1}', '“é”')
const ids = fc.constantFrom('a', 'b', 'c')
/** What may stand between `started` and the end, in any order. Calls are made whole by what is done with it. */
const middle: fc.Arbitrary<CompletionEvent> = fc.oneof(
  words.map(text => ({ type: 'text' as const, text })),
  fc.record({ type: fc.constant('thinking' as const), text: words, signature: words }),
  words.map(text => ({ type: 'thinking' as const, text })),
  words.map(data => ({ type: 'redacted-thinking' as const, data })),
  words.map(data => ({ type: 'reasoning-details' as const, data })),
  words.map(data => ({ type: 'provider-content' as const, data })),
  fc.record({
    type: fc.constant('tool-input-delta' as const),
    id: ids,
    name: fc.constant('look'),
    delta: words,
  }),
  fc.constantFrom<CompletionEvent>(
    { type: 'response-metadata', id: 'x' },
    { type: 'image', source: 'https://example.com/a.png' },
    { type: 'image', source: 'iVBORw0KGgo=' },
    { type: 'citation', url: 'https://example.com' },
    { type: 'citation', title: 'A book' },
  ),
)

/** Every call whose arguments were being written is called, or was no JSON. */
function callsOf(events: readonly CompletionEvent[]): CompletionEvent[] {
  const inputs = new Map<string, string>()
  for (const event of events)
    if (event.type === 'tool-input-delta') inputs.set(event.id, (inputs.get(event.id) ?? '') + event.delta)
  return [...inputs].map(([id, input]): CompletionEvent => {
    try {
      JSON.parse(input)
      return { type: 'tool-use', id, name: 'look', input }
    } catch {
      return { type: 'tool-use-json-parse-error', id, name: 'look', rawInput: input, error: 'no JSON' }
    }
  })
}

async function partsOf(
  specificationVersion: 'v2' | 'v3' | 'v4',
  events: readonly CompletionEvent[],
  failure?: unknown,
): Promise<Part[]> {
  const model = createAirlockProvider(answering(events, failure), { specificationVersion })('acme/m')
  const { stream } = await model.doStream({
    prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hi.' }] }],
  })
  return Array.fromAsync<Part>(stream)
}

/** What the SDK holds a stream to. @throws where it would find fault */
function check(parts: readonly Part[]) {
  expect(parts.at(0)?.type).toBe('stream-start')
  expect(parts.findIndex(({ type }) => type === 'finish')).toBe(parts.length - 1)
  const open = new Map<string, string>()
  const used = new Set<string>()
  const inputs = new Map<string, string>()
  for (const { type, id = '', delta = '', toolCallId = '', input = '' } of parts) {
    const block = type.replace(/-(?:start|delta|end)$/, '')
    if (/^(?:text|reasoning|tool-input)-start$/.test(type)) {
      expect(used).not.toContain(id)
      // One block at a time, and none beside calls that are being written: reasoning ends before text.
      if (block !== 'tool-input') expect([...open.values()].filter(one => one !== 'tool-input')).toEqual([])
      used.add(id)
      open.set(id, block)
    }
    if (/^(?:text|reasoning|tool-input)-delta$/.test(type)) {
      expect(open.get(id)).toBe(block)
      if (block === 'tool-input') inputs.set(id, (inputs.get(id) ?? '') + delta)
    }
    if (/^(?:text|reasoning|tool-input)-end$/.test(type)) {
      expect(open.get(id)).toBe(block)
      open.delete(id)
    }
    if (type === 'tool-call') {
      expect(open.has(toolCallId)).toBe(false)
      expect(inputs.get(toolCallId) ?? input).toBe(input)
    }
  }
  expect([...open]).toEqual([])
  // Nothing in it that an app could not write down.
  expect(() => JSON.stringify(parts)).not.toThrow()
}

describe.each(['v2', 'v3', 'v4'] as const)('%s', version => {
  test('whatever comes, each block is opened before it is written and closed before the next', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(middle), fc.constantFrom(...STOP_REASONS), async (events, reason) => {
        const whole: CompletionEvent[] = [...events, ...callsOf(events), { type: 'stop', reason }]
        check(await partsOf(version, [{ type: 'started' }, ...whole]))
      }),
    )
  })

  test('so it is where the answer fails in the middle', async () => {
    const failure = new ProviderError({ kind: 'overloaded', message: 'Overloaded' })
    await fc.assert(
      fc.asyncProperty(fc.array(middle), async events => {
        const begun: CompletionEvent[] = [{ type: 'started' }, { type: 'text', text: 'Well, ' }, ...events]
        const parts = await partsOf(version, begun, failure)
        check(parts)
        expect(parts.at(-2)).toMatchObject({ type: expect.stringMatching(/^(?:error|tool-input-end)$/) })
        expect(parts.filter(({ type }) => type === 'error')).toHaveLength(1)
      }),
    )
  })
})
