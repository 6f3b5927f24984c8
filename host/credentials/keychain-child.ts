// Runs in a process of its own: a keychain that asks the user, or hangs, blocks a thread that nothing but the end
// of the process stops.
import { AsyncEntry } from '@napi-rs/keyring'
import type { KeychainAnswer, KeychainRequest } from './keychain-protocol.ts'

const SERVICE = 'airlock'

process.once('message', request => {
  void answer(request as KeychainRequest).then(reply => {
    process.send?.(reply, () => process.exit())
  })
})
// Whoever asked is gone. A plain exit would wait for the thread that hangs.
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))

async function answer(request: KeychainRequest): Promise<KeychainAnswer> {
  try {
    // Without a Secret Service the library would take the kernel's keyring, which a restart empties.
    const entry = new AsyncEntry(SERVICE, request.account, { linux: { store: 'secret-service' } })
    switch (request.action) {
      case 'read':
        return { type: 'answered', secret: (await entry.getPassword()) ?? undefined }
      case 'write':
        await entry.setPassword(request.secret)
        return { type: 'answered', secret: (await entry.getPassword()) ?? undefined }
      case 'delete':
        await entry.deleteCredential()
        return { type: 'answered', secret: undefined }
      default:
        return request satisfies never
    }
  } catch (error) {
    return { type: 'failed', reason: error instanceof Error ? error.message : String(error) }
  }
}
