import type { Observer } from './observer.ts'
import { openTelemetryApi } from './open-telemetry/api.ts'
import { observeCompletion } from './open-telemetry/observe-completion.ts'
import { observeRun } from './open-telemetry/observe-run.ts'
import { observeToolCall } from './open-telemetry/observe-tool-call.ts'

export interface OpenTelemetryOptions {
  /**
   * Puts what is said into spans: messages and answers, the arguments and results of tools. Default: false, since who
   * reads traces is seldom who may read conversations.
   */
  captureContent?: boolean
}

/**
 * Spans and metrics by the semantic conventions for generative AI, for whatever SDK the program has registered with
 * `@opentelemetry/api`. Where it has none, this costs the look whether it has.
 */
export function observeWithOpenTelemetry({ captureContent = false }: OpenTelemetryOptions): Observer {
  return {
    completion(start) {
      const api = openTelemetryApi()
      return api && observeCompletion(api, start, captureContent)
    },
    run(start) {
      const api = openTelemetryApi()
      return api && observeRun(api, start)
    },
    tool(start) {
      const api = openTelemetryApi()
      return api && observeToolCall(api, start, captureContent)
    },
  }
}
