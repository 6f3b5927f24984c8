import type { TokenUsage } from '../../contract/events.ts'
import { raced } from '../../contract/raced.ts'
import type { CompletionRequest, RequestMessage } from '../../contract/request.ts'
import { InvalidOptionError, InvalidRequestError } from '../../errors.ts'
import type { CompletionOutcome } from '../../telemetry/observer.ts'
import { type CallTerms, checkConfirm, type Tools } from '../../tools/create-tools.ts'
import { checkPolicy } from '../../tools/policy.ts'
import type { CompleteOptions } from '../complete-options.ts'
import type { Completion } from '../completion.ts'
import { createReplay } from '../replay.ts'
import { answerCalls, cancelCalls, endedEarly } from './answer-calls.ts'
import { collectPartial, toMessages } from './history.ts'
import { type OfferedTools, offerTools } from './offered-tools.ts'
import type { Run, RunEvent, RunOptions, RunRequest, RunResult, RunStep } from './run.ts'
import { sumUsage } from './sum-usage.ts'

const MAX_STEPS = 20
const MAX_PARALLEL = 5
/** As many as a request may name. */
const MAX_MODELS = 16

export interface RunHost {
  complete(request: CompletionRequest, options: CompleteOptions): Completion
  tools: Tools
  /** Told how it went, before the caller is. Must not throw. */
  ended?(outcome: CompletionOutcome): void
  countTokens?(model: string | undefined, text: string, signal: AbortSignal): Promise<number>
}

/** Begins a run. Never throws: what is wrong reaches the reader of the events or of `result()`. */
export function createRun(asked: RunRequest, options: RunOptions, host: RunHost): Run {
  const controller = new AbortController()
  const { signal } = controller
  const steps: RunStep[] = []
  const history: RequestMessage[] = []
  const usages: (TokenUsage | undefined)[] = []
  let current: Completion | undefined
  let ended: RunResult['ended'] = 'no-calls'
  let caughtUp = () => {}
  let result: Promise<RunResult> | undefined
  const replay = createReplay<RunEvent>({ drained: () => caughtUp(), abandoned: () => cancel() })

  const abort = () => cancel(options.signal?.reason)

  function cancel(reason: unknown = new DOMException('The run was cancelled', 'AbortError')) {
    if (!replay.ended) controller.abort(reason)
  }

  async function run(): Promise<void> {
    const { tools: _tools, maxSteps, stopWhen, maxParallel, repair, toolTokenBudget, ...request } = asked
    if (!Array.isArray(request.messages))
      throw new InvalidRequestError('messages', 'Cannot send this request: messages must be a list')
    history.push(...request.messages)
    const limits = checkLimits(asked)
    const { confirmTool, toolPolicy, toolInvocationToken = Object.freeze({}), ...how } = options
    if (toolTokenBudget !== undefined && !host.countTokens)
      throw new InvalidOptionError('Cannot run with toolTokenBudget: this airlock counts no tokens')
    checkPolicy(toolPolicy)
    checkConfirm(confirmTool)
    const terms: CallTerms = { confirmTool, toolPolicy }
    signal.throwIfAborted()
    const offered = await raced(offerTools(asked, host.tools, terms, signal), signal)
    let model = request.model

    for (let step = 1; ; step++) {
      const completion = host.complete(
        {
          ...request,
          ...(model !== undefined && { model }),
          ...withTools(offered, step),
          messages: [...history],
        },
        { ...how, signal },
      )
      const answer = await readAnswer(completion, step, offered)
      usages.push(answer.usage)
      current = undefined
      // Who answered goes on: it has the prompt in its cache, and its own signatures in the history.
      if (Array.isArray(model)) model = [...new Set([answer.reference, ...model])].slice(0, MAX_MODELS)

      const task = {
        offered,
        call: host.tools.call,
        terms,
        ...limits,
        toolInvocationToken,
        tokenOptions: tokenOptions(answer.reference),
        step,
        emit: replay.push,
      }
      const results = await answerCalls(answer, task, signal)
      history.push(...toMessages(answer.parts, results))
      const done: RunStep = { step, answer, results }
      steps.push(done)
      signal.throwIfAborted()

      if (results.length === 0) return finish('no-calls')
      if (endedEarly(answer)) return finish('cut-off')
      if (stopWhen && (await raced(Promise.try(stopWhen, done, { steps, usage: sumUsage(usages) }), signal)))
        return finish('stop-when')
      if (step >= limits.maxSteps) return finish('max-steps')
    }
  }

  function finish(how: RunResult['ended']) {
    ended = how
  }

  async function readAnswer(completion: Completion, step: number, offered: OfferedTools) {
    current = completion
    try {
      for await (const event of completion) {
        replay.push({ step, ...event })
        if (replay.full) await raced(new Promise<void>(resolve => (caughtUp = resolve)), signal)
      }
      return await completion.result()
    } catch (error) {
      completion.cancel(error)
      // What the user has seen stays said. After a failure it does not: the same request will be sent again.
      if (signal.aborted) {
        const partial = collectPartial(completion.partial)
        history.push(...toMessages(partial.parts, cancelCalls(partial, offered)))
      }
      throw error
    }
  }

  /** A call that is forced in each step would never end. */
  function withTools(offered: OfferedTools, step: number): Partial<CompletionRequest> {
    if (offered.definitions.length === 0) return {}
    const isForced = offered.toolChoice === 'any' || typeof offered.toolChoice === 'object'
    const toolChoice = step > 1 && isForced ? 'auto' : offered.toolChoice
    return { tools: offered.definitions, ...(toolChoice !== undefined && { toolChoice }) }
  }

  function tokenOptions(model: string) {
    const { toolTokenBudget } = asked
    const { countTokens } = host
    if (toolTokenBudget === undefined || !countTokens) return undefined
    return {
      tokenBudget: toolTokenBudget,
      countTokens: (text: string, own?: AbortSignal) => countTokens(model, text, own ?? signal),
    }
  }

  function tellEnd(failure?: { error: unknown }) {
    const usage = sumUsage(usages)
    host.ended?.({ ...(usage && { usage }), ...failure })
  }

  function release() {
    options.signal?.removeEventListener('abort', abort)
  }

  options.signal?.addEventListener('abort', abort, { once: true })
  if (options.signal?.aborted) abort()
  run().then(
    () => {
      tellEnd()
      replay.end()
      release()
    },
    (error: unknown) => {
      if (current) usages.push(current.usage)
      current = undefined
      const reason = signal.aborted ? signal.reason : error
      tellEnd({ error: reason })
      replay.end(reason)
      release()
    },
  )

  return {
    [Symbol.asyncIterator]: replay.read,
    result() {
      result ??= replay.whole().then(() => {
        const { text = '', stopReason = 'other' } = steps.at(-1)?.answer ?? {}
        const usage = sumUsage(usages)
        return {
          text,
          messages: [...history],
          steps: [...steps],
          ...(usage && { usage }),
          ...(usage?.cost && { cost: usage.cost }),
          stopReason,
          ended,
        }
      })
      return result
    },
    get messages() {
      return [...history]
    },
    steps,
    get usage() {
      return sumUsage(current?.usage ? [...usages, current.usage] : usages)
    },
    cancel,
    async [Symbol.asyncDispose]() {
      cancel()
    },
  }
}

function checkLimits({
  maxSteps,
  maxParallel,
  parallelToolCalls,
  repair,
  toolTokenBudget,
  stopWhen,
}: RunRequest) {
  const counts = { maxSteps, maxParallel, toolTokenBudget }
  for (const [name, value] of Object.entries(counts))
    if (value !== undefined && (!Number.isSafeInteger(value) || value < 1))
      throw new InvalidOptionError(
        `Cannot run: ${name} must be a whole number above 0: current value is ${value}`,
      )
  if (stopWhen !== undefined && typeof stopWhen !== 'function')
    throw new InvalidOptionError(`Cannot run: stopWhen must be a function: it is ${stopWhen}`)
  return {
    maxSteps: maxSteps ?? MAX_STEPS,
    maxParallel: parallelToolCalls === false ? 1 : (maxParallel ?? MAX_PARALLEL),
    repair: repair ?? false,
  }
}
