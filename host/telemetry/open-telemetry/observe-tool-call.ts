import { describeFailure } from '../describe-failure.ts'
import type { ToolObserver, ToolStart } from '../observer.ts'
import type { OpenTelemetry } from './api.ts'
import { endSpan, SCOPE, spanName } from './span.ts'

/** A span of one call, the time in which the user is asked included. */
export function observeToolCall(
  api: OpenTelemetry,
  { id, callId, source, parameters }: ToolStart,
  captureContent: boolean,
): ToolObserver | undefined {
  const span = api.trace.getTracer(SCOPE).startSpan(spanName('execute_tool', id), {
    kind: api.SpanKind.INTERNAL,
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': id,
      'gen_ai.tool.type': 'function',
      ...(callId !== undefined && { 'gen_ai.tool.call.id': callId }),
      'airlock.tool.source': source,
    },
  })
  if (!api.isSpanContextValid(span.spanContext())) return undefined
  const parent = api.trace.setSpan(api.context.active(), span)
  const isCaptured = captureContent && span.isRecording()
  if (isCaptured) span.setAttribute('gen_ai.tool.call.arguments', JSON.stringify(parameters) ?? '{}')
  return {
    within: work => api.context.with(parent, work),
    end({ isError, withheld, result, error }) {
      if (withheld) span.setAttribute('airlock.tool.withheld', withheld)
      if (isCaptured && result) span.setAttribute('gen_ai.tool.call.result', result.toString())
      endSpan(api, span, isError ? failureOf(error, withheld) : undefined)
    },
  }

  /** A tool's own words are content: they may repeat what it was told. */
  function failureOf(error: unknown, withheld: string | undefined) {
    if (error === undefined) return { type: withheld ?? 'tool_error' }
    const { type, message } = describeFailure(error)
    return { type, ...(captureContent && { message }) }
  }
}
