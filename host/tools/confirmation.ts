import { raced } from '../contract/raced.ts'
import type { RegisteredTool } from './definition.ts'
import { exactKey, type ToolRule } from './policy.ts'
import { createSessionAnswers } from './session-answers.ts'
import type { ToolOrigin, ToolPreparation } from './tool.ts'

/** A call that somebody should agree to. */
export interface ConfirmRequest {
  /** The tool's. */
  id: string
  displayName?: string
  source: ToolOrigin
  /** What the tool would be called with, as the caller wrote it; a copy. */
  parameters: unknown
  /** A question, e.g. `Run "deploy"?`. From the tool where it has one: show it as text, it may be a stranger's. */
  title: string
  message: string
  /** Aborts where nobody waits for the answer any more. */
  signal: AbortSignal
  /** The call's `toolInvocationToken`. Where there is none, `allow-session` allows this one call. */
  session?: unknown
  /** The id that the model gave its call. */
  callId?: string
}

/**
 * `allow-session`: this tool in this session, as long as its description and schema stay. `allow-always`: also in
 * settings.json. `skip`: the model is told to go on without. Edited `parameters` are checked again.
 */
export type ConfirmAnswer =
  | 'allow'
  | 'allow-session'
  | 'allow-always'
  | 'deny'
  | 'skip'
  | { decision: 'allow'; parameters: unknown }

export type ConfirmTool = (request: ConfirmRequest) => Promise<ConfirmAnswer> | ConfirmAnswer

export type Verdict =
  | { decision: 'run' }
  | { decision: 'run-edited'; parameters: unknown }
  | { decision: 'denied'; reason: string }
  | { decision: 'skipped' }

export interface Question {
  registered: RegisteredTool
  rule: ToolRule | undefined
  written: unknown
  preparation: ToolPreparation | undefined
  session: unknown
  callId: string | undefined
  confirmTool: ConfirmTool | undefined
  signal: AbortSignal
}

export interface ConfirmationOptions {
  /** Keeps `allow-always` beyond this process. */
  remember?: (key: string) => Promise<void>
  warn?: (message: string) => void
}

/** Decides whether a call may run, and asks whoever is there to ask: one question at a time. */
export function createConfirmation({ remember, warn = () => {} }: ConfirmationOptions) {
  const always = new Set<string>()
  const sessions = createSessionAnswers()
  let queue: Promise<unknown> = Promise.resolve()

  function needsAnswer({ registered, rule, preparation, session }: Question): boolean {
    if (rule === 'allow') return false
    const key = keyOf(registered)
    if (always.has(key) || sessions.has(session, key)) return false
    if (rule === 'ask' || preparation?.confirmation) return true
    // A stranger's tool would call itself harmless in order not to be asked about.
    const { readOnly, source } = registered.description
    return !(readOnly && source === 'app')
  }

  async function ask(question: Question): Promise<Verdict> {
    const { registered, preparation, written, session, signal, confirmTool, callId } = question
    // While it waited for its turn, the answer may have been given.
    if (!needsAnswer(question)) return { decision: 'run' }
    const { id, displayName, source } = registered.description
    if (!confirmTool) return { decision: 'denied', reason: nobodyToAsk(registered) }
    let given: unknown
    try {
      given = await confirmTool({
        id,
        ...(displayName !== undefined && { displayName }),
        source,
        parameters: structuredClone(written),
        title: preparation?.confirmation?.title ?? `Run "${displayName ?? id}"?`,
        message: preparation?.confirmation?.message ?? registered.description.description,
        signal,
        ...(session !== undefined && { session }),
        ...(callId !== undefined && { callId }),
      })
    } catch (error) {
      if (!signal.aborted) warn(`confirmTool failed for "${id}": ${textOf(error)}`)
      return { decision: 'denied', reason: 'the question could not be asked' }
    }
    switch (given) {
      case 'allow':
        return { decision: 'run' }
      case 'allow-session':
        sessions.add(session, keyOf(registered))
        return { decision: 'run' }
      case 'allow-always':
        always.add(keyOf(registered))
        await remember?.(exactKey(registered.description)).catch((error: unknown) =>
          warn(`Cannot keep that "${id}" is always allowed: ${textOf(error)}`),
        )
        return { decision: 'run' }
      case 'deny':
        return { decision: 'denied', reason: 'the user did not allow it' }
      case 'skip':
        return { decision: 'skipped' }
    }
    if (typeof given === 'object' && given !== null && 'decision' in given && given.decision === 'allow')
      return 'parameters' in given
        ? { decision: 'run-edited', parameters: given.parameters }
        : { decision: 'run' }
    warn(`confirmTool gave no answer that there is for "${id}": ${JSON.stringify(given)}`)
    return { decision: 'denied', reason: 'the question was not answered' }
  }

  return {
    decide(question: Question): Promise<Verdict> {
      if (question.rule === 'deny')
        return Promise.resolve({ decision: 'denied', reason: 'the policy for tools does not allow it' })
      if (!needsAnswer(question)) return Promise.resolve({ decision: 'run' })
      if (!question.confirmTool)
        return Promise.resolve({ decision: 'denied', reason: nobodyToAsk(question.registered) })
      const turn = queue.then(() => {
        question.signal.throwIfAborted()
        return ask(question)
      })
      // One that is never answered must not hold up the next for longer than somebody waits for it.
      queue = raced(turn, question.signal).catch(() => {})
      return turn
    },
  }
}

function keyOf({ description, fingerprint }: RegisteredTool): string {
  return `${exactKey(description)} ${fingerprint}`
}

function nobodyToAsk({ description }: RegisteredTool): string {
  const key = JSON.stringify(exactKey(description))
  const own = description.source === 'app' ? ', or mark it readOnly where it changes nothing' : ''
  return (
    `it needs an answer and nobody is there to ask. The program can pass confirmTool to createAirlock; or allow it ` +
    `with toolPolicy: { ${key}: "allow" }, or "tools": { ${key}: "allow" } in settings.json${own}`
  )
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
