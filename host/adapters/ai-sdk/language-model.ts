import type { CompletionEvent } from '../../contract/events.ts'
import { ProviderError } from '../../errors.ts'
import type { Completer } from '../../runtime/completer.ts'
import type { Completion } from '../../runtime/completion.ts'
import { type RequestTarget, toRequest } from './call-options.ts'
import { collectContent } from './collect-content.ts'
import { toSdkError } from './errors.ts'
import { createKeepsakes } from './keepsakes.ts'
import type {
  CallOptions,
  Differences,
  LanguageModel,
  SpecificationVersion,
  StreamPart,
} from './specification.ts'
import { createStreamParts, type StreamParts } from './stream-parts.ts'
import type { VersionWords } from './versions.ts'

export interface LanguageModelOptions<Version extends SpecificationVersion>
  extends Omit<RequestTarget, 'keepsakes'> {
  specificationVersion: Version
  words: VersionWords<Version>
}

/** An answer of which something has come. */
interface Answer<Version extends SpecificationVersion> {
  completion: Completion
  /** What came: the first event with something in it, and what stood before that. */
  head: readonly CompletionEvent[]
  rest: AsyncIterator<CompletionEvent>
  parts: StreamParts<Version>
  warnings: Differences[Version]['warning'][]
}

/** One model, as the SDK calls it. */
export function createLanguageModel<Version extends SpecificationVersion>(
  airlock: Completer,
  options: LanguageModelOptions<Version>,
): LanguageModel<Version> {
  const { specificationVersion, modelId, name, words } = options
  const keepsakes = createKeepsakes(options)

  /** The SDK retries what this promise rejects with, and nothing later: so it waits for the first real event. */
  async function begin(call: CallOptions): Promise<Answer<Version>> {
    const { request, concerns } = toRequest(call, { modelId, name, keepsakes })
    // The SDK retries by itself: two that wait would multiply their waits.
    const how = { retry: false as const, ...(call.abortSignal && { signal: call.abortSignal }) }
    const completion = airlock.complete(request, how)
    const rest = completion[Symbol.asyncIterator]()
    const head: CompletionEvent[] = []
    try {
      while (!head.some(isContent)) {
        const { done, value } = await rest.next()
        if (done) break
        head.push(value)
      }
    } catch (error) {
      throw call.abortSignal?.aborted ? error : toSdkError(error, modelId)
    }
    return {
      completion,
      head,
      rest,
      parts: createStreamParts({ name, keepsakes, words, includeRaw: call.includeRawChunks === true }),
      warnings: concerns.map(words.warning),
    }
  }

  return {
    specificationVersion,
    provider: `${name}.chat`,
    modelId,
    // None: what a model takes is known only once its extension runs. The SDK fetches files, and hands over bytes.
    supportedUrls: {},

    async doStream(call) {
      const answer = await begin(call)
      return { stream: toStream(answer, call, modelId) }
    },

    async doGenerate(call) {
      const { head, rest, parts, warnings } = await begin(call)
      const all = head.flatMap(parts.of)
      try {
        for (let next = await rest.next(); !next.done; next = await rest.next())
          all.push(...parts.of(next.value))
      } catch (error) {
        throw call.abortSignal?.aborted ? error : toSdkError(error, modelId)
      }
      const { content, response, finish } = collectContent(all)
      // The law of the events: what ends without an error ends with its stop.
      if (!finish) throw new TypeError('The answer ended without its stop')
      const { type: _, ...ending } = finish
      return { content, warnings, ...ending, ...(response && { response }) }
    },
  }
}

function toStream<Version extends SpecificationVersion>(
  { completion, head, rest, parts, warnings }: Answer<Version>,
  { abortSignal }: CallOptions,
  modelId: string,
): ReadableStream<StreamPart<Version>> {
  return new ReadableStream<StreamPart<Version>>({
    start(controller) {
      controller.enqueue({ type: 'stream-start', warnings })
      for (const event of head) for (const part of parts.of(event)) controller.enqueue(part)
    },
    async pull(controller) {
      try {
        // Several events may add no part, and a pull that adds none is not repeated.
        for (let isFed = false; !isFed; ) {
          const { done, value } = await rest.next()
          if (done) return controller.close()
          for (const part of parts.of(value)) {
            controller.enqueue(part)
            isFed = true
          }
        }
      } catch (error) {
        if (abortSignal?.aborted) return controller.error(error)
        const isInterrupted = error instanceof ProviderError && error.kind === 'network'
        const failure = parts.ofFailure(toSdkError(error, modelId), completion.usage, isInterrupted)
        for (const part of failure) controller.enqueue(part)
        controller.close()
      }
    },
    cancel(reason) {
      completion.cancel(reason)
    },
  })
}

function isContent({ type }: CompletionEvent): boolean {
  return type !== 'started' && type !== 'response-metadata'
}
