import { describeFailure } from '../describe-failure.ts'
import type { RequestStart, RunObserver } from '../observer.ts'
import { readRequestFacts } from '../request-facts.ts'
import type { OpenTelemetry } from './api.ts'
import { askedAttributes, usageAttributes } from './attributes.ts'
import { endSpan, SCOPE } from './span.ts'

/** A span of one run, the parent of those of its completions and calls. */
export function observeRun(api: OpenTelemetry, { request }: RequestStart): RunObserver | undefined {
  const span = api.trace.getTracer(SCOPE).startSpan('invoke_agent', {
    kind: api.SpanKind.INTERNAL,
    attributes: { 'gen_ai.operation.name': 'invoke_agent', ...askedAttributes(readRequestFacts(request)) },
  })
  if (!api.isSpanContextValid(span.spanContext())) return undefined
  const parent = api.trace.setSpan(api.context.active(), span)
  return {
    within: work => api.context.with(parent, work),
    end({ usage, error }) {
      if (usage) span.setAttributes(usageAttributes(usage))
      endSpan(api, span, error === undefined ? undefined : describeFailure(error))
    },
  }
}
