import { recordCompletion } from './completion-record.ts'
import { describeFailure } from './describe-failure.ts'
import type { Observer } from './observer.ts'
import { readRequestFacts } from './request-facts.ts'

export type WriteLine = (
  level: 'debug' | 'info',
  message: string,
  facts: { extension?: string; fields: Record<string, unknown> },
) => void

/** Writes a line for each completion that ends, and for each wait and change of model: never of what is said. */
export function logCompletions(write: WriteLine): Observer {
  return {
    completion({ request }) {
      const asked = readRequestFacts(request).model ?? 'the default model'
      const record = recordCompletion(
        ({ place, error, durationMs, timeToFirstEventMs, usage, stopReason }) => {
          const model = place ? `${place.provider}/${place.model}` : asked
          const failure = error === undefined ? undefined : describeFailure(error)
          const outcome = failure?.type ?? stopReason ?? 'other'
          const tokens = usage ? `, ${usage.inputTokens} tokens in, ${usage.outputTokens} out` : ''
          const how = failure ? `failed: ${failure.type}: ${failure.message}` : `ended: ${outcome}`
          const fields = {
            model,
            durationMs: Math.round(durationMs),
            ...(timeToFirstEventMs !== undefined && { timeToFirstEventMs: Math.round(timeToFirstEventMs) }),
            attempts: place?.attempt ?? 0,
            ...(usage && { inputTokens: usage.inputTokens, outputTokens: usage.outputTokens }),
            ...(usage?.cost && { costUsd: usage.cost.total }),
            outcome,
            ...(failure && { error: failure.message }),
          }
          write('debug', `Completion of ${model} ${how} after ${fields.durationMs} ms${tokens}`, {
            ...(place && { extension: place.extension }),
            fields,
          })
        },
      )
      return {
        ...record,
        retry({ extension, provider, model, attempt, waitMs, error }) {
          const { type, message } = describeFailure(error)
          const reference = `${provider}/${model}`
          write('info', `Asking ${reference} again in ${Math.round(waitMs)} ms: ${message}`, {
            extension,
            fields: { model: reference, attempt, waitMs: Math.round(waitMs), outcome: type },
          })
        },
        fallback({ from, to, error }) {
          const { type, message } = describeFailure(error)
          write('info', `Asking ${to} in the place of ${from}: ${message}`, {
            fields: { model: from, to, outcome: type },
          })
        },
      }
    },
  }
}
