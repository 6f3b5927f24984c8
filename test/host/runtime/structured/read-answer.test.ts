import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import type { AnswerSchema } from '../../../../host/contract/request.ts'
import type { StopReason } from '../../../../host/index.ts'
import { readAnswerFormat } from '../../../../host/runtime/structured/answer-format.ts'
import { readAnswer } from '../../../../host/runtime/structured/read-answer.ts'

const person = z.object({ name: z.string(), tags: z.array(z.object({ id: z.int() })).default([]) })

function read(schema: AnswerSchema, text: string, stopReason: StopReason = 'end-turn') {
  return readAnswer({ text, stopReason, toolUses: [] }, readAnswerFormat({ name: 'answer', schema }))
}

describe('readAnswer gives', () => {
  test.each<[string, AnswerSchema, string, unknown]>([
    [
      'what zod makes of it',
      z.object({ on: z.iso.date().transform(Date.parse) }),
      '{"on":"1970-01-02"}',
      { on: 86_400_000 },
    ],
    ['defaults', person, '{"name":"Ada"}', { name: 'Ada', tags: [] }],
    ['without what the schema does not know', person, '{"name":"Ada","age":5}', { name: 'Ada', tags: [] }],
    ['what JSON Schema allows', { type: 'object', required: ['a'] }, '{"a":1,"b":2}', { a: 1, b: 2 }],
    [
      'what draft 7 allows',
      { $schema: 'http://json-schema.org/draft-07/schema#', type: 'array', items: [{ const: 1 }, {}] },
      '[1, "x"]',
      [1, 'x'],
    ],
    ['a list that stands in an object', z.array(z.int()), '{"answer":[1]}', [1]],
    ['an object that has that property itself', z.object({ answer: z.int() }), '{"answer":1}', { answer: 1 }],
    [
      'the one of several that fits',
      z.object({ a: z.int() }),
      'Not {"b": "much longer"} but {"a": 1}',
      { a: 1 },
    ],
    ['what a refinement that waits allows', z.int().refine(async n => n > 1), '2', 2],
  ])('%s', async (_name, schema, text, answer) => {
    expect(await read(schema, text)).toEqual(answer)
  })

  test('an answer that is whole, though it was cut off behind it', async () => {
    expect(await read(person, '{"name":"Ada"} And now', 'max-tokens')).toMatchObject({ name: 'Ada' })
  })
})

describe('readAnswer refuses', () => {
  test.each<[string, AnswerSchema, string, StopReason, string, string]>([
    ['another type', person, '{"name":5}', 'end-turn', 'name', 'name must be a string, not 5'],
    ['what is missing', person, '{}', 'end-turn', 'name', 'name is missing: expected a string'],
    [
      'what is wrong inside',
      person,
      '{"name":"Ada","tags":[{"id":1},{"id":"x"}]}',
      'end-turn',
      'tags[1].id',
      'tags[1].id must be a',
    ],
    [
      'by JSON Schema',
      { type: 'object', properties: { a: { type: 'string' } } },
      '{"a":1}',
      'end-turn',
      'a',
      'a must be a string',
    ],
    ['prose', person, 'I do not know Ada.', 'end-turn', '', 'The answer is no JSON'],
    ['nothing', person, ' ', 'end-turn', '', 'The answer is empty'],
    ['what was cut off', person, '{"name":"Ad', 'max-tokens', '', 'cut off before its JSON was complete'],
    ['a part that would fit', person, '[{"name":"Ada"},{"na', 'max-tokens', '', 'cut off before'],
    ['a refusal', person, '{"name":"Ada"}', 'refusal', '', 'the model refused'],
    ['what was filtered', person, '{"na', 'content-filter', '', 'the service filtered it'],
    [
      '__proto__',
      { type: 'object' },
      '{"a":[{"__proto__":{"admin":true}}]}',
      'end-turn',
      'a[0].__proto__',
      'must not be there',
    ],
    [
      'a transform that throws',
      z.string().transform(() => {
        throw new Error('no such town')
      }),
      '"Ur"',
      'end-turn',
      '',
      'no such town',
    ],
    [
      'what is nested too deep',
      { $ref: '#', items: { $ref: '#' } },
      `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
      'end-turn',
      '',
      'too deep',
    ],
  ])('%s', async (_name, schema, text, stopReason, path, message) => {
    await expect(read(schema, text, stopReason)).rejects.toMatchObject({
      name: 'InvalidAnswerError',
      code: 'invalid-answer',
      message: expect.stringContaining(message),
      path,
      text,
      stopReason,
    })
  })

  test('tools called instead', async () => {
    const toolUses = [{ id: '1', name: 'look', input: '{}' }]
    const format = readAnswerFormat({ name: 'answer', schema: person })
    await expect(readAnswer({ text: 'I look.', stopReason: 'tool-use', toolUses }, format)).rejects.toThrow(
      'There is no answer yet: the model called "look" first',
    )
  })

  test('and keeps the conversation out of logs', async () => {
    const error = await read(person, '{"name":{"secret":"the butler"}}').catch((error: unknown) => error)
    expect(error).toMatchObject({
      issues: [{ path: 'name', message: 'name must be a string, not an object' }],
    })
    expect(inspect(error, { depth: 10 })).not.toContain('butler')
    expect(JSON.stringify(error)).not.toContain('butler')
  })
})

describe('readAnswerFormat refuses a schema that cannot be used', () => {
  test.each<[string, AnswerSchema, string]>([
    ['a type that there is not', { type: 'strng' }, 'type must be one of "object"'],
    [
      'a property that is no schema',
      { properties: { a: 'string' } },
      'properties.a must be an object or a boolean',
    ],
    ['a reference to nowhere', { $ref: '#/$defs/a' }, 'nothing is at its $ref "#/$defs/a"'],
    ['a pattern that is none', { pattern: '(' }, '"(" is not a pattern'],
    ['what JSON cannot say', z.object({ at: z.date() }), 'Date cannot be represented in JSON Schema'],
  ])('%s', (_name, schema, message) => {
    expect(() => readAnswerFormat({ name: 'answer', schema })).toThrow(
      expect.objectContaining({
        name: 'InvalidRequestError',
        path: 'responseFormat.schema',
        message: expect.stringContaining(message),
      }),
    )
  })
})
