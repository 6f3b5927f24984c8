import type { MessagePart } from '../../host/contract/request.ts'
import { answering, type Bench, type BenchRequest, type Seen } from './bench.ts'
import { checkRefused, checkSeen } from './checks.ts'
import type { Piece, ScriptedAnswer } from './services/service.ts'

/** One row of the table: what is asked, what is answered, and what both sides must see. */
export interface Behaviour {
  id: string
  title: string
  check(bench: Bench): Promise<void>
}

export const look = {
  name: 'look',
  description: 'Looks at a thing.',
  inputSchema: {
    type: 'object',
    properties: { id: { type: 'number' }, of: { type: 'string' } },
    required: ['id'],
  },
}
export const said: ScriptedAnswer = { pieces: [{ text: 'Hello there.' }], stop: 'end-turn' }
export const call = (id: string, name: string, input: string): Piece => ({ call: { id, name, input } })
export const user = (...content: MessagePart[]): BenchRequest['messages'][number] => ({
  role: 'user',
  content,
})
export const text = (words: string): MessagePart => ({ type: 'text', text: words })

/** Asks, has it answered, and checks what the caller saw. */
export async function exchange(
  bench: Bench,
  request: Partial<BenchRequest>,
  answer: ScriptedAnswer = said,
): Promise<Seen> {
  const messages = request.messages ?? [user(text('Hi.'))]
  const seen = await bench.ask({ ...request, messages }, answering(bench.subject, answer))
  checkSeen(seen, answer, bench.subject.dialect)
  return seen
}

/** For what a service may not have: its request is refused, or goes out without. */
export async function perhaps(
  bench: Bench,
  id: string,
  request: Partial<BenchRequest>,
  check: (seen: Seen) => void,
  answer: ScriptedAnswer = said,
): Promise<void> {
  if (await isRefused(bench, id, request)) return
  const seen = await exchange(bench, request, answer)
  if (bench.subject.lacks[id] === undefined) check(seen)
  else seen.received()
}

/** Whether a service has no such thing and a request for it is refused; checks that it is. */
export async function isRefused(bench: Bench, id: string, request: Partial<BenchRequest>): Promise<boolean> {
  if (bench.subject.lacks[id]?.outcome !== 'refused') return false
  const messages = request.messages ?? [user(text('Hi.'))]
  checkRefused(await bench.ask({ ...request, messages }, answering(bench.subject, said)))
  return true
}
