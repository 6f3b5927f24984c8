import type { Answer } from './scripted.ts'

/** What `GET /v1/models` answers in the OpenAI dialect. */
export function modelList(...ids: readonly string[]): Answer {
  const data = ids.map(id => ({ id, object: 'model', created: 1_760_000_000, owned_by: 'test' }))
  return { headers: { 'content-type': 'application/json' }, body: [JSON.stringify({ object: 'list', data })] }
}
