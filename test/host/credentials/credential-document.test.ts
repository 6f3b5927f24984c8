import { expect, test } from 'vitest'
import { expiryOf, replaceSecrets } from '../../../host/credentials/credential-document.ts'

const shout = (field: string, secret: string) => `<${field}:${secret}>`

test.each<[string, string, string]>([
  ['a key', 'sk-1', '<:sk-1>'],
  ['nothing', '', ''],
  ['text that begins like JSON', '{sk', '<:{sk>'],
  ['a JSON list', '["a"]', '<:["a"]>'],
  ['a number', '12345678', '<:12345678>'],
  ['string fields', '{"a":"1","b":"2"}', '{"a":"<a:1>","b":"<b:2>"}'],
  ['fields inside', '{"a":{"b":"1"}}', '{"a":{"b":"<a.b:1>"}}'],
  ['what is no text', '{"a":1,"b":true,"c":null,"d":""}', '{"a":1,"b":true,"c":null,"d":""}'],
  ['lists', '{"scopes":["read:user"]}', '{"scopes":["read:user"]}'],
  [
    'what is public',
    '{"public":{"url":"u"},"a":{"public":"1"}}',
    '{"public":{"url":"u"},"a":{"public":"<a.public:1>"}}',
  ],
  ['a name that JavaScript knows', '{"__proto__":"1"}', '{"__proto__":"<__proto__:1>"}'],
  ['too deep', '{"a":{"b":{"c":{"d":{"e":"1"}}}}}', '<:{"a":{"b":{"c":{"d":{"e":"1"}}}}}>'],
])('replaceSecrets: %s', (_, value, expected) => {
  expect(replaceSecrets(value, shout)).toBe(expected)
})

test('replaceSecrets: too many fields are one secret; an unchanged text stays byte for byte', () => {
  const many = JSON.stringify(Object.fromEntries(Array.from({ length: 33 }, (_, at) => [`f${at}`, 'x'])))
  expect(replaceSecrets(many, shout)).toBe(`<:${many}>`)
  const spaced = '{ "n": 12345678901234567890, "a": "1" }'
  expect(replaceSecrets(spaced, (_, secret) => secret)).toBe(spaced)
})

test.each<[string, number | undefined]>([
  ['{"expiresAt":1700000000000}', 1_700_000_000_000],
  ['{"expiresAt":"1700000000000"}', undefined],
  ['{"expiresAt":-1}', undefined],
  ['{"expiresAt":1e999}', undefined],
  ['sk-1', undefined],
])('expiryOf: %s', (value, expected) => {
  expect(expiryOf(value)).toBe(expected)
})
