import type { CompletionEvent } from '../../contract/events.ts'
import type { Airlock } from '../../runtime/airlock.ts'
import { MODELS_AGE_MS } from '../../runtime/catalogue.ts'
import type { Completer } from '../../runtime/completer.ts'
import type { Completion } from '../../runtime/completion.ts'
import { putToolsInWords } from '../../tools/tools-in-words.ts'
import type { CallerCredentials } from './caller-credentials.ts'
import type { Credentials, ProtocolRequest, StreamEvent } from './shape.ts'
import { toRequest } from './to-request.ts'
import { createTranslation } from './to-stream-events.ts'

export interface StreamCall {
  provider: string
  /** The model's id at the provider. */
  model: string
  request: ProtocolRequest
  entered: Credentials
  signal: AbortSignal | undefined
}

interface Told {
  isLast: boolean
  events: StreamEvent[]
}

/** One answer as the protocol's events. Nothing happens before it is read; nothing in here throws. */
export async function* streamAnswer(
  airlock: Completer & Pick<Airlock, 'models'>,
  credentials: CallerCredentials,
  { provider, model, request, entered, signal }: StreamCall,
): AsyncGenerator<StreamEvent, void, void> {
  const translation = createTranslation(provider)
  let completion: Completion | undefined
  let events: AsyncIterator<CompletionEvent> | undefined
  let read = (event: CompletionEvent) => [event]

  async function begin(): Promise<AsyncIterator<CompletionEvent>> {
    const held = await credentials.hold(entered, signal)
    try {
      let asked = toRequest(`${provider}/${model}`, request)
      if (request.tools.length > 0 && !(await takesTools())) {
        const inWords = putToolsInWords(asked)
        asked = inWords.request
        read = inWords.read
      }
      completion = airlock.complete(asked, { ...(signal && { signal }) })
    } catch (error) {
      held.release()
      throw error
    }
    const reader = completion[Symbol.asyncIterator]()
    // No credential is needed any more once something came back, or nothing will.
    void untilAnswered(completion).then(held.release, held.release)
    return reader
  }

  /** A model that its provider does not list may well take them. */
  async function takesTools(): Promise<boolean> {
    const how = { maxAgeMs: MODELS_AGE_MS, ...(signal && { signal }) }
    const { models } = await airlock.models({ provider, id: model }, how)
    return models[0]?.capabilities.supportsTools ?? true
  }

  async function next(): Promise<Told> {
    try {
      events ??= await begin()
      const { done, value } = await events.next()
      if (done) return { isLast: true, events: [] }
      return { isLast: value.type === 'stop', events: read(value).flatMap(translation.of) }
    } catch (error) {
      credentials.forgetRefused(error)
      return { isLast: true, events: translation.ofFailure(error, completion?.usage) }
    }
  }

  try {
    for (let told = await next(); ; told = await next()) {
      // What a reader throws in here is its own, and goes back to it.
      for (const event of told.events) yield event
      if (told.isLast) return
    }
  } finally {
    completion?.cancel()
  }
}

async function untilAnswered(completion: Completion): Promise<void> {
  for await (const { type } of completion) if (type !== 'started') return
}
