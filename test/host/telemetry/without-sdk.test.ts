import { trace } from '@opentelemetry/api'
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'
import { afterAll, expect, test } from 'vitest'
import { observeWithOpenTelemetry } from '../../../host/telemetry/open-telemetry.ts'

afterAll(() => trace.disable())

test('where no SDK is registered nothing is watched; one that comes later is told from then on', () => {
  const observer = observeWithOpenTelemetry({})
  const start = { request: { model: 'mirror/large' } }
  expect(observer.completion?.(start)).toBeUndefined()
  expect(observer.run?.(start)).toBeUndefined()
  expect(observer.tool?.({ id: 'look', source: 'app', parameters: {} })).toBeUndefined()

  const spans = new InMemorySpanExporter()
  trace.setGlobalTracerProvider(new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }))
  observer.completion?.(start)?.end?.({})
  expect(spans.getFinishedSpans().map(({ name }) => name)).toEqual(['chat large'])
})
