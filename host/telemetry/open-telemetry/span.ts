import type { AttributeValue, Span } from '@opentelemetry/api'
import type { Failure } from '../describe-failure.ts'
import type { OpenTelemetry } from './api.ts'

/** What the spans and metrics of Airlock are told apart by: the name of its tracer and its meter. */
export const SCOPE = 'airlock'

export function spanName(operation: string, subject: AttributeValue | undefined): string {
  return subject === undefined ? operation : `${operation} ${String(subject)}`
}

export function endSpan(
  { SpanStatusCode }: OpenTelemetry,
  span: Span,
  failure: Partial<Pick<Failure, 'type' | 'message'>> | undefined,
): void {
  if (failure) {
    const { type = '_OTHER', message } = failure
    span.setAttribute('error.type', type)
    span.setStatus({ code: SpanStatusCode.ERROR, ...(message !== undefined && { message }) })
  }
  span.end()
}
