import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { serveRotatingTokens } from './rotating-tokens.ts'
import { temporaryHome } from './temporary-home.ts'

const acme = { extension: 'acme', provider: 'acme' }
const ROUNDS = 50

test('two processes refresh one rotating token 50 times at once: each time once, and none is revoked', async () => {
  await using at = await temporaryHome()
  await using tokens = await serveRotatingTokens('token', 2)
  await at.open().set(acme, 'token', { option: 'browser' })
  const script = join(import.meta.dirname, 'refresh-process.ts')
  const start = () =>
    promisify(execFile)(process.execPath, [script, at.home.config, tokens.url, String(ROUNDS)], {
      timeout: 110_000,
    })
  await Promise.all([start(), start()])
  expect(tokens).toMatchObject({ exchanges: ROUNDS, isRevoked: false })
  expect(await at.open().get(acme)).toBe(`token-${ROUNDS}`)
  expect(await at.open().describe(acme)).toMatchObject({ option: 'browser' })
}, 120_000)
