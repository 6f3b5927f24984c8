// `refresh-process.ts HOME SERVER ROUNDS`: in each round, when all processes are ready, refreshes the token that it
// read before, for two callers at once, and uses what each got. Ends with code 1 where a token was no good.
import { createDefaultStore } from '../../../host/credentials/default-store.ts'
import { createRefresher, type RefreshAnswer } from '../../../host/credentials/refresh-once.ts'
import { resolveHome } from '../../../host/home/home.ts'

const [home = '', server = '', rounds = ''] = process.argv.slice(2)
const owner = { extension: 'acme', provider: 'acme' }
const store = createDefaultStore({ home: resolveHome({ home, env: {} }), env: { AIRLOCK_KEYCHAIN: 'off' } })
const refresher = createRefresher({ store })

function post(path: string, body = ''): Promise<Response> {
  return fetch(server + path, { method: 'POST', body })
}

async function exchange({ value }: { value: string }): Promise<RefreshAnswer> {
  const response = await post('/token', value)
  const text = await response.text()
  return response.ok ? { type: 'refreshed', value: text } : { type: 'refused' }
}

for (let round = 0; round < Number(rounds); round++) {
  const used = (await store.get(owner)) ?? ''
  await post('/meet')
  const [one = '', two = ''] = await Promise.all([
    refresher.refresh(owner, used, exchange),
    refresher.refresh(owner, used, exchange),
  ])
  const uses = await Promise.all([post('/use', one), post('/use', two)])
  if (uses.some(use => !use.ok)) throw new Error(`round ${round}: a token that was handed out is no good`)
  // Nobody begins the next exchange while the other still uses this one's token.
  await post('/meet')
}
