import { expect, test } from 'vitest'
import { readPastedRedirect } from '../../../host/oauth/pasted-redirect.ts'

const good: [what: string, text: string][] = [
  ['the whole address', 'http://127.0.0.1:4321/callback?code=c%2F1&state=s'],
  ['with white space around', '  http://localhost/?state=s&code=c%2F1 \r\n'],
  ['broken by a terminal', 'http://127.0.0.1:4321/call\nback?code=c%2\r\nF1&state=s'],
  ['in quotes', '"https://service.example/done?code=c%2F1&state=s"'],
  ['in angle brackets', '<http://127.0.0.1/cb?code=c%2F1&state=s>'],
  ['a bracketed paste', '\u001b[200~http://127.0.0.1/cb?code=c%2F1&state=s\u001b[201~'],
  ['without its scheme', '127.0.0.1:4321/callback?code=c%2F1&state=s'],
  ['with a fragment', 'http://127.0.0.1/cb?code=c%2F1&state=s#_=_'],
  ['the query', '?code=c%2F1&state=s'],
  ['the query without its mark', 'code=c%2F1&state=s'],
  ['code#state', 'c/1#s'],
]
test.each(good)('readPastedRedirect: %s', (_, text) => {
  const pasted = readPastedRedirect(text, 's')
  expect(pasted).toMatchObject({ kind: 'answer', verdict: { key: 'code=c/1' } })
})

test('readPastedRedirect: an error', () => {
  expect(readPastedRedirect('http://127.0.0.1/cb?error=access_denied&state=s', 's')).toMatchObject({
    kind: 'error',
    verdict: { error: 'access_denied' },
  })
})

const bad: [text: string, advice: RegExp][] = [
  ['', /nothing/],
  [' \n', /nothing/],
  ['c/1', /whole address/],
  ['c/1#other', /another sign-in/],
  ['http://127.0.0.1/cb?code=c&state=other', /another sign-in/],
  ['http://127.0.0.1/cb?code=c', /no state/],
  ['http://127.0.0.1/cb?state=s', /no code/],
  ['http://127.0.0.1/cb?code=a&code=b&state=s', /no code/],
  ['https://service.example/auth?client_id=x&redirect_uri=y&state=s', /not the one that was opened/],
  ['http://', /whole address/],
  [`c#${'s'.repeat(70_000)}`, /too long/],
]
test.each(bad)('readPastedRedirect: %.40j says what to paste', (text, advice) => {
  const pasted = readPastedRedirect(text, 's')
  expect(pasted.kind === 'unusable' && pasted.advice).toMatch(advice)
})

test('readPastedRedirect: without a state a bare code will do', () => {
  expect(readPastedRedirect(' c/1 ', undefined)).toMatchObject({ verdict: { key: 'code=c/1' } })
  expect(readPastedRedirect('http://127.0.0.1/cb?code=c%2F1', undefined)).toMatchObject({ kind: 'answer' })
})
