// node test/bench/policy.ts: what policy and placeholders add to one request, microseconds of computing.
import { createPlaceholders } from '../../host/credentials/placeholders.ts'
import { forbiddenHost } from '../../host/policy/addresses.ts'
import { checkRequestHeaders } from '../../host/policy/headers.ts'
import { parseNetworkRules } from '../../host/policy/network.ts'
import { median } from './median.ts'

const REQUESTS = 10_000
const ROUNDS = 7

const rules = parseNetworkRules(['https://api.example.com', 'https://*.other.example'], 'the bench')
const placeholders = createPlaceholders()
const key = placeholders.placeholderFor('credential:bench:bench', `sk-${'k'.repeat(48)}`, rules)
const redactor = placeholders.redactor()
const headers: [string, string][] = [
  ['authorization', `Bearer ${key}`],
  ['content-type', 'application/json'],
  ['accept', 'text/event-stream'],
  ...Array.from({ length: 7 }, (_, index): [string, string] => [
    `x-header-${index}`,
    'a value of some length',
  ]),
]
const body = Buffer.from(JSON.stringify({ messages: [{ role: 'user', content: 'x'.repeat(4_000) }] }))
const answer: [string, string][] = Array.from({ length: 20 }, (_, index) => [
  `x-${index}`,
  'a value of some length',
])

function request(): number {
  const url = new URL('https://api.example.com/v1/chat/completions?beta=1')
  checkRequestHeaders(headers)
  if (!rules.allows(url) || !rules.allows(url) || forbiddenHost(url.hostname)) throw new Error('refused')
  const injected = placeholders.inject({ url, headers, body })
  return injected.headers.length + answer.filter(([, value]) => redactor.text(value) !== '').length
}

const rounds = Array.from({ length: ROUNDS }, () => {
  const { user, system } = process.cpuUsage()
  for (let count = 0; count < REQUESTS; count++) request()
  const used = process.cpuUsage({ user, system })
  return (used.user + used.system) / REQUESTS
})
console.log(`policy and placeholders: ${median(rounds).toFixed(1)} us a request (aim: under 100)`)
