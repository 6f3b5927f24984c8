// `crash-process.ts HOME WRITES`: goes on where the last one was killed, changing two credentials in turn: one by
// signing in again, one by refreshing. Says what is stored as soon as it is, and not before.
import { writeSync } from 'node:fs'
import { createDefaultStore } from '../../../host/credentials/default-store.ts'
import { createRefresher } from '../../../host/credentials/refresh-once.ts'
import { resolveHome } from '../../../host/home/home.ts'
import { indexOfValue, wholeValue } from './crash-value.ts'

const [home = '', writes = ''] = process.argv.slice(2)
const store = createDefaultStore({ home: resolveHome({ home, env: {} }), env: { AIRLOCK_KEYCHAIN: 'off' } })
const refresher = createRefresher({ store })
const signed = { extension: 'acme', provider: 'signed-in' }
const rotated = { extension: 'acme', provider: 'rotated' }

let atSigned = indexOfValue((await store.get(signed)) ?? '')
let atRotated = indexOfValue((await store.get(rotated)) ?? '')
writeSync(1, 'ready\n')
for (let write = 0; write < Number(writes); write++) {
  if (write % 2 === 0) {
    await store.set(signed, wholeValue(atSigned + 1))
    writeSync(1, `signed-in ${++atSigned}\n`)
  } else {
    const next = wholeValue(atRotated + 1)
    const got = await refresher.refresh(rotated, wholeValue(atRotated), async () => ({
      type: 'refreshed',
      value: next,
    }))
    if (got !== next) throw new Error('another credential than the one refreshed to')
    writeSync(1, `rotated ${++atRotated}\n`)
  }
}
