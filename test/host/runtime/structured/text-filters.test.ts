import { describe, expect, test } from 'vitest'
import type { TextFilter } from '../../../../host/runtime/structured/text-filter.ts'
import { createUnfenceFilter } from '../../../../host/runtime/structured/unfence-text.ts'
import { createUnwrapFilter } from '../../../../host/runtime/structured/unwrap-text.ts'

/** What the filter leaves of a text, however it is cut in two, and of its single characters. */
function outcomes(create: () => TextFilter, text: string): string[] {
  const cuts = Array.from({ length: text.length + 1 }, (_, cut) => [text.slice(0, cut), text.slice(cut)])
  const left = [...cuts, [...text]].map(pieces => {
    const filter = create()
    return pieces.map(filter.push).join('') + filter.end()
  })
  return [...new Set(left.map(each => each.trim()))]
}

describe('createUnwrapFilter', () => {
  test.each([
    ['a list', '{"answer":[1,{"a":"]}"}]}', '[1,{"a":"]}"}]'],
    ['a text with brackets and quotes', '{"answer":"a } \\" , {"}', '"a } \\" , {"'],
    ['a text that ends in a backslash', '{"answer":"\\\\"}', '"\\\\"'],
    ['a number', ' {\n  "answer" : 42\n}\n', '42'],
    ['an object', '{"answer":{"answer":1}}', '{"answer":1}'],
    ['what comes besides', '{"answer":true,"note":"x"} and prose', 'true'],
    ['what was cut off', '{"answer":[1,{"a":"b', '[1,{"a":"b'],
    ['another object', '{"other":[1]}', '{"other":[1]}'],
    ['prose', 'The answer: 5', 'The answer: 5'],
    ['what is too short to tell', '{"ans', '{"ans'],
    ['nothing', '', ''],
  ])('%s', (_name, text, left) => {
    expect(outcomes(createUnwrapFilter, text)).toEqual([left])
  })
})

describe('createUnfenceFilter', () => {
  test.each([
    ['a fence', '```json\n{"a": 1}\n```', '{"a": 1}'],
    ['a fence without a language, white space around it', '\n ```\r\n{"a": 1}\r\n```\n\n', '{"a": 1}'],
    ['a fence that was cut off', '```json\n{"a": "b', '{"a": "b'],
    ['a closing fence that was cut off', '```json\n{"a": 1}\n``', '{"a": 1}\n``'],
    ['no fence', '{"a": "```"}', '{"a": "```"}'],
    ['a fence in a text', '```json\n{"a": "```js"}\n```', '{"a": "```js"}'],
    ['prose before a fence', 'Here:\n```json\n{"a": 1}\n```', 'Here:\n```json\n{"a": 1}\n```'],
    ['prose behind a fence', '```json\n{"a": 1}\n```\nThere.', '{"a": 1}\n```\nThere.'],
    ['code in a line', '`a`', '`a`'],
    ['nothing', '', ''],
  ])('%s', (_name, text, left) => {
    expect(outcomes(createUnfenceFilter, text)).toEqual([left])
  })

  test('white space without end is handed on', () => {
    const filter = createUnfenceFilter()
    const left = filter.push('```json\n{') + filter.push(' '.repeat(1_000)) + filter.push(' '.repeat(1_000))
    expect(left.length).toBeGreaterThan(1_900)
    expect(left + filter.push('}') + filter.end()).toBe(`{${' '.repeat(2_000)}}`)
  })
})
