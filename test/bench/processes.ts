import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { ContestantName } from './contestant.ts'
import type { Order, Reply, ReplyTo } from './messages.ts'

export interface BenchServer extends AsyncDisposable {
  url: string
}

export async function startServer(): Promise<BenchServer> {
  const child = fork(fileURLToPath(new URL('server.ts', import.meta.url)))
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: () => end(child) }
}

export interface ContestantProcess extends AsyncDisposable {
  send<Type extends Order['type']>(order: Extract<Order, { type: Type }>): Promise<ReplyTo<Type>>
}

export async function startContestant(name: ContestantName, url: string): Promise<ContestantProcess> {
  const file = fileURLToPath(new URL('contestant-process.ts', import.meta.url))
  const child = fork(file, [name, url], { execArgv: ['--expose-gc'] })
  let settle: { resolve(reply: Reply): void; reject(error: Error): void } | undefined
  child.on('message', (reply: Reply) => settle?.resolve(reply))
  child.once('exit', code => settle?.reject(new Error(`The process of ${name} ended with ${code}`)))

  async function reply<Type extends Reply['type']>(type: Type): Promise<Extract<Reply, { type: Type }>> {
    const { promise, resolve, reject } = Promise.withResolvers<Reply>()
    settle = { resolve, reject }
    const message = await promise
    if (message.type === 'failed') throw new Error(`${name} failed: ${message.message}`)
    if (message.type !== type) throw new Error(`${name} answered ${message.type} to ${type}`)
    return message as Extract<Reply, { type: Type }>
  }

  await reply('ready')
  return {
    send(order) {
      const answer = reply(order.type)
      child.send(order)
      return answer
    },
    [Symbol.asyncDispose]: () => end(child),
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const exit = once(child, 'exit')
  child.disconnect()
  await exit
}
