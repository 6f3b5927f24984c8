import { describe, expect, test } from 'vitest'
import { toModelNames } from '../../../host/tools/model-names.ts'
import { findToolReferences } from '../../../host/tools/references.ts'

describe('findToolReferences', () => {
  const tools = ['search', 'search_web', 'x-1', 'Read']

  test.each<[string, [string, number, number][]]>([
    ['#search for it', [['search', 0, 7]]],
    [
      'use #search_web, then #search.',
      [
        ['search', 22, 29],
        ['search_web', 4, 15],
      ],
    ],
    ['#search#search', [['search', 0, 7]]],
    ['#searches #Search #read', []],
    ['a#search page/#search &#search', []],
    [
      '(#x-1) "#Read"',
      [
        ['Read', 8, 13],
        ['x-1', 1, 5],
      ],
    ],
    [
      '#search- or #search-- or not',
      [
        ['search', 12, 19],
        ['search', 0, 7],
      ],
    ],
    ['😀 #search', [['search', 3, 10]]],
    ['été#search', []],
    ['', []],
  ])('%j', (prompt, expected) => {
    const found = findToolReferences(prompt, tools)
    expect(found.map(({ id, range: [start, end] }) => [id, start, end])).toEqual(expected)
    for (const { id, range } of found) expect(prompt.slice(...range)).toBe(`#${id}`)
  })

  test('the last comes first, so that each can be replaced in place', () => {
    let prompt = 'Run #search and #search_web now'
    for (const {
      id,
      range: [start, end],
    } of findToolReferences(
      prompt,
      tools.map(id => ({ id })),
    ))
      prompt = `${prompt.slice(0, start)}[${id}]${prompt.slice(end)}`
    expect(prompt).toBe('Run [search] and [search_web] now')
  })
})

describe('toModelNames', () => {
  const names = (ids: string[]) => {
    const made = toModelNames(ids)
    return ids.map(id => made.nameOf(id))
  }

  test.each([
    [
      ['read', 'read-2', '_x', 'a'.repeat(64)],
      ['read', 'read-2', '_x', 'a'.repeat(64)],
    ],
    [
      ['3d', '-x'],
      ['_3d', '_-x'],
    ],
    [
      ['3d', '_3d'],
      ['_3d_2', '_3d'],
    ],
    [
      ['my.tool', 'my/tool'],
      ['my_tool', 'my_tool_2'],
    ],
    [['日本'], ['__']],
    [[''], ['_']],
  ])('%j are called %j', (ids, expected) => {
    expect(names(ids)).toEqual(expected)
  })

  test('whatever the ids: each name is taken by every service, is one tool’s alone, and leads back', () => {
    const ids = [
      '1',
      '_1',
      '1'.repeat(64),
      `${'1'.repeat(63)}2`,
      'a b',
      'a_b',
      'é',
      '😀',
      '-',
      '__proto__',
      'constructor',
    ]
    const made = toModelNames(ids)
    const all = ids.map(id => made.nameOf(id))
    for (const [index, name] of all.entries()) {
      expect(name).toMatch(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/)
      expect(made.idOf(name)).toBe(ids[index])
    }
    expect(new Set(all).size).toBe(ids.length)
    expect(made.idOf('nothing')).toBeUndefined()
    expect(made.renamed.map(({ id }) => id)).toEqual(ids.filter((id, index) => all[index] !== id))
  })

  test('the same ids give the same names', () => {
    const ids = ['1'.repeat(64), 'a.b', 'a b']
    expect(names(ids)).toEqual(names(ids))
  })

  test('a service of its own rule is served by it', () => {
    const made = toModelNames(['abcdefghijklmnopq', 'abcdefghijklmnopr'], {
      maxLength: 16,
      allows: character => /[a-z_0-9]/.test(character),
    })
    const all = [made.nameOf('abcdefghijklmnopq'), made.nameOf('abcdefghijklmnopr')]
    expect(all.every(name => name.length <= 16)).toBe(true)
    expect(new Set(all).size).toBe(2)
  })
})
