import type { Attributes, Histogram, MeterProvider } from '@opentelemetry/api'
import type { TokenUsage } from '../../contract/events.ts'
import { splitInput } from '../../contract/usage.ts'
import type { OpenTelemetry } from './api.ts'
import { SCOPE } from './span.ts'

// Both as the conventions recommend them.
const SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]
const TOKENS = [
  1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864,
] as const

export interface Metrics {
  /** `gen_ai.client.token.usage` */
  tokens(usage: TokenUsage, attributes: Attributes): void
  /** `gen_ai.client.operation.duration` */
  duration(ms: number, attributes: Attributes): void
  /** `gen_ai.client.operation.time_to_first_chunk` */
  timeToFirstChunk(ms: number, attributes: Attributes): void
}

let known: { provider: MeterProvider; metrics: Metrics | undefined } | undefined

/** Undefined where nobody collects any. Of a provider that is registered late, from then on. */
export function metricsOf({ metrics: api, createNoopMeter }: OpenTelemetry): Metrics | undefined {
  const provider = api.getMeterProvider()
  if (known?.provider === provider) return known.metrics
  const meter = api.getMeter(SCOPE)
  const made = meter === createNoopMeter() ? undefined : createMetrics()
  known = { provider, metrics: made }
  return made

  function histogram(
    name: string,
    unit: string,
    description: string,
    boundaries: readonly number[],
  ): Histogram {
    return meter.createHistogram(name, {
      unit,
      description,
      advice: { explicitBucketBoundaries: [...boundaries] },
    })
  }

  function createMetrics(): Metrics {
    const tokens = histogram('gen_ai.client.token.usage', '{token}', 'Tokens in and out', TOKENS)
    const duration = histogram('gen_ai.client.operation.duration', 's', 'How long completions take', SECONDS)
    const first = histogram(
      'gen_ai.client.operation.time_to_first_chunk',
      's',
      'How long the first piece of an answer takes',
      SECONDS,
    )
    return {
      tokens(usage, attributes) {
        tokens.record(splitInput(usage).total, { ...attributes, 'gen_ai.token.type': 'input' })
        tokens.record(usage.outputTokens, { ...attributes, 'gen_ai.token.type': 'output' })
      },
      duration: (ms, attributes) => duration.record(ms / 1000, attributes),
      timeToFirstChunk: (ms, attributes) => first.record(ms / 1000, attributes),
    }
  }
}
