import type { CompletionEvent, TokenUsage } from '../contract/events.ts'
import type { CompletionRequest as GuestRequest } from '../contract/generated/interfaces/airlock-llm-provider.js'
import type { parseRequest } from '../contract/request.ts'
import { costOf } from '../contract/usage.ts'
import { ProviderError } from '../errors.ts'
import type { CompletionObserver } from '../telemetry/observer.ts'
import { type Attempt, createAttempt } from './attempt.ts'
import { toCallerError } from './caller-error.ts'
import type { CompleteOptions } from './complete-options.ts'
import { type Completion, createCompletion } from './completion.ts'
import { type CompletionTarget, infoWithin } from './completion-target.ts'
import { mediaTokensOf, textOf } from './estimate-tokens.ts'
import { nameNearest } from './name-nearest.ts'
import { withoutForeignParts } from './opaque-parts.ts'
import { prepareRequest } from './prepare.ts'
import type { CredentialRefresh } from './refresh.ts'
import { defaultFallback, retryBeforeFallback } from './retry/fallback.ts'
import { planRetry } from './retry/plan-retry.ts'
import type { RateLimiter } from './retry/rate-limiter.ts'
import { type RetryOptions, type RetryPolicy, resolveRetry } from './retry/retry-policy.ts'
import { wait } from './retry/wait.ts'
import { type AnswerFormat, readAnswerFormat } from './structured/answer-format.ts'
import { type EventMapper, mapInto } from './structured/event-mapper.ts'
import { planAnswer } from './structured/plan-answer.ts'

type ParsedRequest = ReturnType<typeof parseRequest>

/** What a completion needs, and how it is to be run. */
export interface CompletionTask {
  /** As the caller handed it over. */
  asked: unknown
  /** Throws where the caller's request or options are not valid. */
  parse(): { request: ParsedRequest; options: CompleteOptions }
  find(model: string | undefined): Promise<CompletionTarget>
  withCredential: CredentialRefresh['withCredential']
  limiter: RateLimiter
  /** Of the airlock, where the caller does not say. */
  retry: RetryOptions | false | undefined
  /** The longest that it really waits for another attempt, milliseconds, whatever was planned. Default: no bound. */
  longestWaitMs?: number
  signal?: AbortSignal | undefined
  observer: CompletionObserver
  /** Holds the completion from its beginning to its end. */
  running: Set<Completion>
}

// An answer that has come does not wait for its price.
const FACTS_MS = 500
const CHARS_PER_TOKEN = 4

/** Runs one completion: tries the models that the caller named, each again where that may help. */
export function complete(task: CompletionTask): Completion {
  const { observer } = task
  // Another value is refused with the other options, for the reader to see.
  const signal = task.signal instanceof AbortSignal ? task.signal : undefined
  const controller = new AbortController()
  let deadline = Number.POSITIVE_INFINITY
  let timer: NodeJS.Timeout | undefined
  let attempts = 0
  let lastFailure: unknown
  let current: { attempt: Attempt; target: CompletionTarget } | undefined
  /** Text, thinking or a call has reached the caller: from here on there is no other answer than this one. */
  let touched = false
  let started = false
  let isEndTold = false
  /** What is worth telling only if this attempt is the one that answers. */
  let held: CompletionEvent[] = []

  /** Absent where the request asks for none. */
  let format: AnswerFormat | undefined
  const formatKnown = Promise.withResolvers<AnswerFormat | undefined>()

  const source = createCompletion({
    usage: usageSoFar,
    answerFormat: formatKnown.promise,
    answeredBy: () => current!.target,
    drained: () => current?.attempt.drained(),
    cancelled: reason => controller.abort(reason),
  })
  const sink = {
    push(event: CompletionEvent) {
      if (event.type === 'started') {
        if (!started) deliver(event)
        started = true
        return
      }
      if (event.type === 'response-metadata' && !touched) {
        held.push(event)
        return
      }
      // The price is to be known when the answer ends. Asked while it comes, at most once in a while.
      if (!touched) void current?.target.info()
      touched = true
      for (const earlier of held) deliver(earlier)
      held = []
      deliver(event.type === 'usage' ? { ...event, ...costOfAnswer(event) } : event)
    },
    get ended() {
      return source.ended
    },
    get full() {
      return source.full
    },
    async beforeUsage() {
      if (current) await infoWithin(current.target, FACTS_MS)
    },
  }

  function usageSoFar(): TokenUsage | undefined {
    const usage = current?.attempt.usage
    return usage && { ...usage, ...costOfAnswer(usage) }
  }

  function costOfAnswer(usage: TokenUsage): Pick<TokenUsage, 'cost'> {
    const pricing = current?.target.knownInfo()?.pricing
    return pricing ? { cost: costOf(usage, pricing) } : {}
  }

  function deliver(event: CompletionEvent) {
    source.push(event)
    observer.event?.(event)
    // At once: a reader that leaves when it has read `stop` has read the whole answer, and cancels nothing.
    if (event.type !== 'stop') return
    tellEnd()
    source.end()
    release()
  }

  const abort = () => source.completion.cancel(signal?.reason)
  signal?.addEventListener('abort', abort, { once: true })
  if (signal?.aborted) abort()
  controller.signal.addEventListener('abort', aborted, { once: true })

  function aborted() {
    release()
    tellEnd({ error: controller.signal.reason })
  }

  /** Every exit comes by here: the socket, the guest's resource and the listeners are given back. */
  function release() {
    task.running.delete(source.completion)
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
    current?.attempt.release()
  }

  function endInTime(timeoutMs: number) {
    const error = new ProviderError({
      kind: 'network',
      providerCode: 'timed-out',
      message: `The answer was not complete within the ${timeoutMs} ms that the caller gave it`,
      ...placeOf(current?.target),
      ...(lastFailure !== undefined && { cause: lastFailure }),
    })
    source.end(error)
    controller.abort(error)
  }

  function placeOf(target: CompletionTarget | undefined) {
    const { partial } = source.completion
    const usage = usageSoFar()
    return {
      ...(target && { provider: target.provider, model: target.model }),
      partial: [...partial],
      ...(usage && { usage }),
      attempts,
    }
  }

  async function run(): Promise<void> {
    const { request, options } = task.parse()
    format = request.responseFormat && readAnswerFormat(request.responseFormat)
    formatKnown.resolve(format)
    const { timeoutMs, fallback = defaultFallback } = options
    const policy = resolveRetry(task.retry, options.retry)
    if (timeoutMs !== undefined) {
      deadline = performance.now() + timeoutMs
      timer = setTimeout(endInTime, timeoutMs, timeoutMs)
    }
    const models = typeof request.model === 'string' ? [request.model] : (request.model ?? [undefined])
    for (let at = 0; ; at++) {
      const to = models[at + 1]
      try {
        return await runModel(models[at], request, to === undefined ? policy : retryBeforeFallback(policy))
      } catch (error) {
        const from = models[at]
        lastFailure = error
        if (source.ended || touched) throw error
        if (from === undefined || to === undefined || !(await fallback(error, { from, to })))
          throw await nameNearest(error, current?.target, controller.signal)
        observer.fallback?.({ from, to, error })
      }
    }
  }

  /** Asks one model, again where it may help and nothing of an answer has come. */
  async function runModel(
    model: string | undefined,
    request: ParsedRequest,
    policy: RetryPolicy,
  ): Promise<void> {
    const target = await task.find(model)
    for (let attempt = 1; ; attempt++) {
      try {
        return await runAttempts(target, request)
      } catch (error) {
        const place = { extension: target.host.id, usage: undefined, ...placeOf(target) }
        const failure = toCallerError(error, { ...place, provider: target.provider, model: target.model })
        lastFailure = failure
        if (source.ended || touched || !(failure instanceof ProviderError)) throw failure
        const plan = planRetry(failure, {
          attempt,
          policy,
          leftMs: deadline - performance.now(),
          random: Math.random(),
          now: Date.now(),
        })
        if (plan.failure) throw plan.failure
        const waitMs = Math.min(plan.waitMs, task.longestWaitMs ?? plan.waitMs)
        observer.retry?.({ ...attemptPlace(target), waitMs, error: failure })
        await wait(waitMs, controller.signal)
      }
    }
  }

  function attemptPlace({ host, providerReference, model }: CompletionTarget) {
    return { extension: host.id, provider: providerReference, model, attempt: attempts }
  }

  /** One attempt, or two where the first was refused for a credential that could be renewed. */
  async function runAttempts(target: CompletionTarget, request: ParsedRequest): Promise<void> {
    const own = withoutForeignParts(request, task.asked, target.providerReference)
    const plan = format && planAnswer(own, format, target.knownInfo() ?? (await target.info()))
    const sent = plan?.request ?? own
    const guestRequest = await prepareRequest(target, sent, {
      withCredential: task.withCredential,
      signal: controller.signal,
    })
    const names = [target.providerReference, `${target.host.id}:${target.provider}`]
    const reserved = () => reservedTokens(guestRequest)
    const release = await task.limiter.enter(names, reserved, controller.signal)
    try {
      await task.withCredential(target, () => runOnce(target, guestRequest, plan?.createMapper?.()), {
        signal: controller.signal,
        isTouched: () => source.ended || touched,
      })
    } finally {
      release(current?.attempt.usage)
    }
  }

  async function runOnce(
    target: CompletionTarget,
    request: GuestRequest,
    mapper: EventMapper | undefined,
  ): Promise<void> {
    controller.signal.throwIfAborted()
    // Of an attempt that failed.
    current?.attempt.release()
    held = []
    attempts++
    observer.attempt?.(attemptPlace(target))
    const attempt = createAttempt(target, request, mapInto(sink, mapper))
    current = { attempt, target }
    await attempt.run()
  }

  task.running.add(source.completion)
  run().then(
    () => finish(),
    error => finish({ error }),
  )

  function finish(failure?: { error: unknown }) {
    if (failure) source.end(failure.error)
    else source.end()
    formatKnown.resolve(undefined)
    release()
    tellEnd(failure)
  }

  /** Before the caller has the end: a program may go on to close down whatever it is told to. */
  function tellEnd(failure?: { error: unknown }) {
    if (isEndTold) return
    isEndTold = true
    const usage = usageSoFar()
    observer.end?.({ ...(usage && { usage }), ...failure })
  }

  return source.completion
}

/** Tokens of the request and of the longest answer that it allows: a guess, which the usage mends. */
function reservedTokens(request: GuestRequest): number {
  const answer = request.maxTokens === undefined ? 0 : Number(request.maxTokens)
  return Math.ceil(textOf(request).length / CHARS_PER_TOKEN) + mediaTokensOf(request) + answer
}
