import type { CompletionRequest } from '../contract/request.ts'
import type { CompleteOptions } from './complete-options.ts'
import type { Completion } from './completion.ts'

/** What completes: an airlock does, and so does a double of one in a test. */
export interface Completer {
  complete(request: CompletionRequest, options?: CompleteOptions): Completion
}
