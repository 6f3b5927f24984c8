// `keychain-process.ts HOME WRITE_MS MARK`: stores what is in HOME/secret with MARK before it, opens the store again
// as a later run would, and prints as one line of JSON what that found or how it failed, where the key is, and what
// the user was told.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CredentialError } from '../../../host/credentials/credential-error.ts'
import { createDefaultStore } from '../../../host/credentials/default-store.ts'
import { resolveHome } from '../../../host/home/home.ts'

const [home = '', writeMs = '', mark = ''] = process.argv.slice(2)
// Arguments are there for others to read.
const value = mark + readFileSync(join(home, 'secret'), 'utf8')
const owner = { extension: 'acme', provider: 'acme' }
const notices: string[] = []
const open = () =>
  createDefaultStore({
    home: resolveHome({ home, env: {} }),
    env: process.env,
    writeMs: Number(writeMs),
    notice: sentence => notices.push(sentence),
  })

async function keep(): Promise<object> {
  await open().set(owner, value)
  const later = open()
  const { lockedBy } = await later.state()
  return { found: await later.get(owner), lockedBy, notices }
}

const result = await keep().catch((error: CredentialError) => ({
  failed: error.code,
  message: error.message,
  notices,
}))
process.stdout.write(`${JSON.stringify(result)}\n`)
