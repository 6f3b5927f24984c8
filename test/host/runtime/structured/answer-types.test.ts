import { expectTypeOf, test } from 'vitest'
import * as z from 'zod'
import type { Airlock, Completer, Completion, CompletionRequest } from '../../../../host/index.ts'

// Checked by the compiler, never run.
declare const airlock: Airlock
declare const wide: CompletionRequest
const messages = [{ role: 'user' as const, content: 'Hi.' }]
const schema = z.object({
  at: z.iso.date().transform(date => new Date(date)),
  tags: z.array(z.object({ id: z.int() })).default([]),
})

test('complete knows what the answer will be', () => {
  const typed = () => airlock.complete({ messages, responseFormat: { schema } })
  expectTypeOf<Awaited<ReturnType<ReturnType<typeof typed>['object']>>>().toEqualTypeOf<{
    at: Date
    tags: { id: number }[]
  }>()
  type Parts = ReturnType<ReturnType<typeof typed>['partialObjects']>
  expectTypeOf<Parts extends AsyncIterable<infer Part> ? Part : never>().toEqualTypeOf<{
    at?: string
    tags?: { id?: number }[] | undefined
  }>()

  const list = () =>
    airlock.complete({ messages, responseFormat: { name: 'x', schema: z.array(z.enum(['a', 'b'])) } })
  expectTypeOf<Awaited<ReturnType<ReturnType<typeof list>['object']>>>().toEqualTypeOf<('a' | 'b')[]>()

  const byJsonSchema = () => airlock.complete({ messages, responseFormat: { schema: { type: 'object' } } })
  expectTypeOf<Awaited<ReturnType<ReturnType<typeof byJsonSchema>['object']>>>().toBeUnknown()

  const none = () => airlock.complete({ messages })
  expectTypeOf<Awaited<ReturnType<ReturnType<typeof none>['object']>>>().toBeNever()

  const unknown = () => airlock.complete(wide)
  expectTypeOf<Awaited<ReturnType<ReturnType<typeof unknown>['object']>>>().toBeUnknown()
})

test('what a request cannot have is an error still', () => {
  // @ts-expect-error: it is called temperature
  void (() => airlock.complete({ messages, temprature: 1 }))
  // @ts-expect-error: there must be a schema
  void (() => airlock.complete({ messages, responseFormat: { name: 'x' } }))
  // @ts-expect-error: it is called strict
  void (() => airlock.complete({ messages, responseFormat: { schema, stict: true } }))
})

test('an airlock is a completer, and any completion will do for one whose answer is not known', () => {
  expectTypeOf<Airlock>().toExtend<Completer>()
  expectTypeOf<Completion<{ a: number }>>().toExtend<Completion>()
  expectTypeOf<CompletionRequest<typeof schema>>().toExtend<CompletionRequest>()
})
