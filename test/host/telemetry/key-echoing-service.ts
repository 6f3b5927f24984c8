import { type AirlockOptions, createMemoryStore } from '../../../host/index.ts'
import { refusal, type Setting, setUp } from '../runtime/retry/setting.ts'

export { ask } from '../runtime/retry/setting.ts'

export const KEY = 'sk-telemetry-0123456789abcdef'

/** An airlock with a key, and a service that refuses it and says which it was. */
export function keyEchoingService(options: AirlockOptions = {}): Promise<Setting> {
  const owner = { extension: 'openai-compatible', provider: 'openai-compatible' }
  return setUp(
    ({ headers }) =>
      refusal(401, {}, { message: `Incorrect key given: ${headers.authorization?.replace('Bearer ', '')}` }),
    { credentials: createMemoryStore([[owner, KEY]]), ...options },
  )
}
