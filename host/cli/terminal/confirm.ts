import type { Cli } from '../cli.ts'
import { InterruptedError } from '../cli-errors.ts'

/**
 * Asks a yes-or-no question on the terminal; no is the default. Ask only where `cli.canAsk`.
 * @throws {InterruptedError} on Ctrl-C.
 */
export async function confirm(cli: Cli, question: string): Promise<boolean> {
  const { confirm: ask, isCancel } = await import('@clack/prompts')
  const answer = await ask({
    message: question,
    initialValue: false,
    input: cli.stdin,
    output: cli.stderr,
    signal: cli.signal,
  })
  if (!isCancel(answer)) return answer
  cli.signal.throwIfAborted()
  throw new InterruptedError()
}
