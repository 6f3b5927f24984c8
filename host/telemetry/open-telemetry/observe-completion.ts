import type { Attributes } from '@opentelemetry/api'
import type { CompletionRequest } from '../../contract/request.ts'
import { recordCompletion } from '../completion-record.ts'
import { describeFailure } from '../describe-failure.ts'
import type { CompletionObserver, RequestStart } from '../observer.ts'
import { readRequestFacts } from '../request-facts.ts'
import type { OpenTelemetry } from './api.ts'
import { askedAttributes, placeAttributes, toFinishReason, usageAttributes } from './attributes.ts'
import { captureInput, captureOutput } from './captured-content.ts'
import { metricsOf } from './metrics.ts'
import { endSpan, SCOPE, spanName } from './span.ts'

/** A span and the metrics of one completion, all its attempts together. Undefined where nobody wants either. */
export function observeCompletion(
  api: OpenTelemetry,
  { request }: RequestStart,
  captureContent: boolean,
): CompletionObserver | undefined {
  const metrics = metricsOf(api)
  const asked = askedAttributes(readRequestFacts(request))
  const span = api.trace.getTracer(SCOPE).startSpan(spanName('chat', asked['gen_ai.request.model']), {
    kind: api.SpanKind.CLIENT,
    attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.request.stream': true, ...asked },
  })
  if (!metrics && !api.isSpanContextValid(span.spanContext())) return undefined
  const parent = api.trace.setSpan(api.context.active(), span)
  const output = captureContent && span.isRecording() ? captureOutput() : undefined

  const record = recordCompletion(seen => {
    const { place, usage, error, durationMs, timeToFirstEventMs, stopReason, responseId, responseModel } =
      seen
    const failure = error === undefined ? undefined : describeFailure(error)
    if (span.isRecording()) {
      if (usage) span.setAttributes(usageAttributes(usage))
      if (stopReason) span.setAttribute('gen_ai.response.finish_reasons', [toFinishReason(stopReason)])
      if (responseId !== undefined) span.setAttribute('gen_ai.response.id', responseId)
      if (responseModel !== undefined) span.setAttribute('gen_ai.response.model', responseModel)
      if (timeToFirstEventMs !== undefined)
        span.setAttribute('gen_ai.response.time_to_first_chunk', timeToFirstEventMs / 1000)
      if (place)
        span.setAttributes({ 'airlock.extension': place.extension, 'airlock.attempts': place.attempt })
      if (output) span.setAttribute('gen_ai.output.messages', output.message())
    }
    endSpan(api, span, failure)
    if (!metrics) return
    const attributes: Attributes = {
      'gen_ai.operation.name': 'chat',
      ...(place && placeAttributes(place)),
      ...(responseModel !== undefined && { 'gen_ai.response.model': responseModel }),
    }
    if (usage) metrics.tokens(usage, attributes)
    if (timeToFirstEventMs !== undefined) metrics.timeToFirstChunk(timeToFirstEventMs, attributes)
    metrics.duration(durationMs, { ...attributes, ...(failure && { 'error.type': failure.type }) })
  })

  return {
    within: work => api.context.with(parent, work),
    attempt(place) {
      record.attempt(place)
      span.updateName(spanName('chat', place.model)).setAttributes(placeAttributes(place))
      // A model is only asked once the request was found to be one.
      if (output && place.attempt === 1) span.setAttributes(captureInput(request as CompletionRequest))
    },
    retry({ error, waitMs, attempt, provider, model }) {
      const { type, message } = describeFailure(error)
      span.addEvent('airlock.retry', {
        'airlock.model': `${provider}/${model}`,
        'airlock.attempt': attempt,
        'airlock.wait_ms': waitMs,
        'error.type': type,
        'error.message': message,
      })
    },
    fallback({ from, to, error }) {
      const { type, message } = describeFailure(error)
      span.addEvent('airlock.fallback', {
        'airlock.from': from,
        'airlock.to': to,
        'error.type': type,
        'error.message': message,
      })
    },
    event(event) {
      record.event(event)
      output?.event(event)
    },
    end: record.end,
  }
}
