import type { CompletionEvent } from '../../../../host/contract/events.ts'
import { parseRequest } from '../../../../host/contract/request.ts'
import type { CompletionRequest } from '../../../../host/index.ts'
import { createCompletion } from '../../../../host/runtime/completion.ts'

/** An airlock whose answers are these, and the requests that it got, checked as Airlock checks them. */
export function answering(events: readonly CompletionEvent[], failure?: unknown) {
  const requests: CompletionRequest[] = []
  return {
    requests,
    complete(request: CompletionRequest) {
      parseRequest(request)
      requests.push(request)
      const source = createCompletion({
        usage: () => undefined,
        answeredBy: () => ({ reference: request.model as string, providerReference: 'acme' }),
        drained: () => {},
        cancelled: () => {},
      })
      for (const event of events) source.push(event)
      if (failure === undefined) source.end()
      else source.end(failure)
      return source.completion
    },
  }
}
