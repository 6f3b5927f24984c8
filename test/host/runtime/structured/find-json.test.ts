import { describe, expect, test } from 'vitest'
import { findJson } from '../../../../host/runtime/structured/find-json.ts'

describe('findJson', () => {
  test.each<[string, string, unknown[]]>([
    ['the whole', ' {"a": [1, 2]}\n', [{ a: [1, 2] }]],
    ['the whole, with JSON in its texts', '{"a": "{\\"b\\": 1}"}', [{ a: '{"b": 1}' }]],
    ['a number', '42', [42]],
    ['a fence with prose around it', 'Sure:\n```json\n{"a": 1}\n```\nDone.', [{ a: 1 }, { a: 1 }]],
    ['a fence around a text', 'It is:\n```\n"red"\n```', ['red']],
    ['prose around an object', 'Sure [1], it is {"a": "}"}. Good?', [{ a: '}' }, [1]]],
    ['braces that are no JSON', 'In {braces} or [brackets], {"a": 1}', [{ a: 1 }]],
    ['the longest first', 'Not {"a": 1} but {"a": 12345}', [{ a: 12345 }, { a: 1 }]],
    ['nothing inside what was cut off', '{"items": [{"a": 1}, {"a": 2}, {"a"', []],
    ['nothing inside what is no JSON', '{"a": [1], \'b\': {"c": 2}}', []],
    ['nothing in prose', 'I cannot say.', []],
    ['nothing in nothing', '', []],
  ])('%s', (_name, text, found) => {
    expect(findJson(text)).toEqual(found)
  })

  test('prose full of brackets is read once', () => {
    const text = '{"a" '.repeat(100_000)
    expect(findJson(text)).toEqual([])
    expect(findJson('{ '.repeat(200_000))).toEqual([])
    expect(findJson(`${'[1] '.repeat(100_000)}{"a": 1}`)).toHaveLength(20)
  })
})
