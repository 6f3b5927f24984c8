import { context, metrics, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { defineTool, InvalidOptionError, type RequestMessage } from '../../../host/index.ts'
import { toProviderName } from '../../../host/telemetry/open-telemetry/provider-names.ts'
import { ask, KEY, keyEchoingService } from './key-echoing-service.ts'
import { type MirrorAirlock, mirrorAirlock, PROMPT } from './mirror-airlock.ts'

const spans = new InMemorySpanExporter()
const measured = new InMemoryMetricExporter(AggregationTemporality.DELTA)
const tracerProvider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] })
const meterProvider = new MeterProvider({
  readers: [new PeriodicExportingMetricReader({ exporter: measured, exportIntervalMillis: 3_600_000 })],
})
let mirror: MirrorAirlock

beforeAll(async () => {
  tracerProvider.register()
  metrics.setGlobalMeterProvider(meterProvider)
  mirror = await mirrorAirlock()
}, 60_000)
beforeEach(async () => {
  await meterProvider.forceFlush()
  spans.reset()
  measured.reset()
})
afterAll(async () => {
  await mirror?.[Symbol.asyncDispose]()
  await tracerProvider.shutdown()
  await meterProvider.shutdown()
  trace.disable()
  metrics.disable()
  context.disable()
})

const SAID = 'answer-kept-private'
const answer = [
  { type: 'response-metadata', id: 'answer-1', model: 'large-0613' },
  { type: 'text', text: SAID },
  { type: 'usage', inputTokens: 10, outputTokens: 4, cacheReadInputTokens: 5, cacheCreationInputTokens: 2 },
  { type: 'stop', reason: 'end-turn' },
]
const overloaded = { kind: 'overloaded', message: 'Try later', retryAfterMs: 1 }

function named(name: string): ReadableSpan {
  const found = spans.getFinishedSpans().filter(span => span.name === name)
  expect(found.map(span => span.name)).toEqual([name])
  return found[0]!
}

function everythingTold(): string {
  return JSON.stringify(
    spans
      .getFinishedSpans()
      .map(({ name, attributes, events, status }) => ({ name, attributes, events, status })),
  )
}

/** The data points of each metric. */
async function measurements() {
  await meterProvider.forceFlush()
  const all = measured
    .getMetrics()
    .flatMap(({ scopeMetrics }) => scopeMetrics)
    .filter(({ scope }) => scope.name === 'airlock')
    .flatMap(each => each.metrics)
  return new Map(all.map(({ descriptor, dataPoints }) => [descriptor.name, { descriptor, dataPoints }]))
}

describe('a completion', () => {
  test('is a client span by the conventions, ended before the caller has the answer', async () => {
    await mirror
      .ask(answer, {
        maxTokens: 100,
        temperature: 0.5,
        topP: 0.9,
        seed: 7,
        stopSequences: ['END'],
        reasoningEffort: 'low',
      })
      .result()
    const span = named('chat large')
    expect(span.kind).toBe(SpanKind.CLIENT)
    expect(span.status.code).toBe(SpanStatusCode.UNSET)
    expect(span.attributes).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'mirror',
      'gen_ai.request.model': 'large',
      'gen_ai.request.stream': true,
      'gen_ai.request.max_tokens': 100,
      'gen_ai.request.temperature': 0.5,
      'gen_ai.request.top_p': 0.9,
      'gen_ai.request.seed': 7,
      'gen_ai.request.stop_sequences': ['END'],
      'gen_ai.request.reasoning.level': 'low',
      'gen_ai.response.id': 'answer-1',
      'gen_ai.response.model': 'large-0613',
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.response.time_to_first_chunk': expect.any(Number),
      // The whole prompt, by the conventions: the service counts what the cache had apart.
      'gen_ai.usage.input_tokens': 17,
      'gen_ai.usage.output_tokens': 4,
      'gen_ai.usage.cache_read.input_tokens': 5,
      'gen_ai.usage.cache_creation.input_tokens': 2,
      'airlock.usage.cost_usd': expect.closeTo((10 * 2 + 4 * 10 + 5 * 0.2 + 2 * 2.5) / 1e6, 12),
      'airlock.extension': 'mirror',
      'airlock.attempts': 1,
    })
  })

  test('belongs to the span that is active when it begins, and what happens later to none', async () => {
    const tracer = trace.getTracer('app')
    const parent = tracer.startSpan('request')
    const completion = context.with(trace.setSpan(context.active(), parent), () => mirror.ask(answer))
    parent.end()
    await completion.result()
    expect(named('chat large').parentSpanContext?.spanId).toBe(parent.spanContext().spanId)
    expect(trace.getActiveSpan()).toBeUndefined()
  })

  test('tells of its retries and of the model that took over', async () => {
    const messages = [{ role: 'user' as const, content: PROMPT }]
    const completion = mirror.airlock.complete(
      {
        model: ['mirror/large', 'mirror/small'],
        messages,
        providerOptions: { events: [], fail: overloaded },
      },
      { retry: { maxAttempts: 2 } },
    )
    await expect(completion.result()).rejects.toMatchObject({ kind: 'overloaded' })
    const span = named('chat small')
    expect(span.attributes).toMatchObject({
      'gen_ai.request.model': 'small',
      'error.type': 'overloaded',
    })
    const fallback = span.events.find(({ name }) => name === 'airlock.fallback')
    expect(fallback?.attributes).toMatchObject({
      'airlock.from': 'mirror/large',
      'airlock.to': 'mirror/small',
      'error.type': 'overloaded',
    })
    const retries = span.events.filter(({ name }) => name === 'airlock.retry')
    expect(retries.at(-1)?.attributes).toMatchObject({
      'airlock.model': 'mirror/small',
      'airlock.wait_ms': expect.any(Number),
      'error.type': 'overloaded',
      'error.message': expect.stringContaining('Try later'),
    })
  })

  test('that failed says with what', async () => {
    const fail = { kind: 'authentication', message: 'This key is not known' }
    await expect(mirror.ask([], { fail }).result()).rejects.toThrow()
    const span = named('chat large')
    expect(span.status).toMatchObject({
      code: SpanStatusCode.ERROR,
      message: expect.stringContaining('This key is not known'),
    })
    expect(span.attributes).toMatchObject({ 'error.type': 'authentication' })
    expect(span.attributes).not.toHaveProperty('gen_ai.response.finish_reasons')
  })

  test('that failed names no secret: the service repeated the key', async () => {
    const { airlock } = await keyEchoingService()
    await expect(airlock.complete(ask).result()).rejects.toMatchObject({ kind: 'authentication' })
    expect(named('chat m').status.message).toContain('Incorrect key')
    expect(everythingTold()).not.toContain(KEY)
  })

  test('that was aborted is over at once', async () => {
    const controller = new AbortController()
    const completion = mirror.airlock.complete(
      { model: 'mirror/large', messages: [{ role: 'user', content: PROMPT }] },
      { signal: controller.signal },
    )
    controller.abort()
    await expect(completion.result()).rejects.toThrow()
    expect(named('chat large').attributes).toMatchObject({ 'error.type': 'AbortError' })
  })

  test('whose request is none is told, too', async () => {
    const completion = mirror.airlock.complete({ model: 7, messages: 'hello' } as never)
    await expect(completion.result()).rejects.toThrow()
    expect(named('chat').attributes).toMatchObject({ 'error.type': 'invalid-request' })
  })

  test('says nothing of what is said', async () => {
    const messages: RequestMessage[] = [
      { role: 'system', content: `system ${PROMPT}` },
      { role: 'user', content: PROMPT },
    ]
    await mirror.ask(answer, { messages }).result()
    expect(everythingTold()).not.toContain(PROMPT)
    expect(everythingTold()).not.toContain(SAID)
  })
})

describe('metrics', () => {
  test('tokens, duration and the time to the first piece, in the buckets of the conventions', async () => {
    await mirror.ask(answer).result()
    const all = await measurements()
    const shared = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'mirror',
      'gen_ai.request.model': 'large',
      'gen_ai.response.model': 'large-0613',
    }
    const tokens = all.get('gen_ai.client.token.usage')
    expect(tokens?.descriptor.unit).toBe('{token}')
    expect(tokens?.dataPoints).toMatchObject([
      { attributes: { ...shared, 'gen_ai.token.type': 'input' }, value: { sum: 17, count: 1 } },
      { attributes: { ...shared, 'gen_ai.token.type': 'output' }, value: { sum: 4, count: 1 } },
    ])
    expect(tokens?.dataPoints[0]).toHaveProperty(
      'value.buckets.boundaries',
      [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864],
    )
    for (const name of ['gen_ai.client.operation.duration', 'gen_ai.client.operation.time_to_first_chunk']) {
      expect(all.get(name)?.descriptor.unit).toBe('s')
      expect(all.get(name)?.dataPoints).toMatchObject([{ attributes: shared, value: { count: 1 } }])
      expect(all.get(name)?.dataPoints[0]).toHaveProperty(
        'value.buckets.boundaries',
        [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92],
      )
    }
  })

  test('a failure has its kind, and no first piece', async () => {
    await expect(
      mirror.ask([], { fail: { kind: 'authentication', message: 'no' } }).result(),
    ).rejects.toThrow()
    const all = await measurements()
    expect(all.get('gen_ai.client.operation.duration')?.dataPoints).toMatchObject([
      { attributes: { 'error.type': 'authentication', 'gen_ai.request.model': 'large' } },
    ])
    expect(all.get('gen_ai.client.operation.time_to_first_chunk')?.dataPoints ?? []).toEqual([])
  })
})

describe('a run', () => {
  const look = defineTool({
    description: 'Looks',
    readOnly: true,
    inputSchema: { type: 'object', properties: { at: { type: 'string' } } },
    invoke: () =>
      trace.getTracer('app').startActiveSpan('in the tool', span => {
        span.end()
        return 'result-kept-private'
      }),
  })
  const call = [
    { type: 'tool-use', id: 'call-1', name: 'look', input: '{"at":"argument-kept-private"}' },
    { type: 'usage', inputTokens: 1, outputTokens: 2 },
    { type: 'stop', reason: 'tool-use' },
  ]

  function run({ airlock }: MirrorAirlock) {
    return airlock.run({
      model: 'mirror/large',
      messages: [{ role: 'user', content: PROMPT }],
      tools: [{ id: 'look', ...look }],
      maxSteps: 1,
      providerOptions: { events: call },
    })
  }

  test('is the parent of its answers and calls, and a call is that of what its tool does', async () => {
    await run(mirror).result()
    const agent = named('invoke_agent')
    expect(agent.attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.provider.name': 'mirror',
      'gen_ai.request.model': 'large',
      'gen_ai.usage.input_tokens': 1,
      'gen_ai.usage.output_tokens': 2,
    })
    const tool = named('execute_tool look')
    expect(tool.kind).toBe(SpanKind.INTERNAL)
    expect(tool.attributes).toEqual({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'look',
      'gen_ai.tool.type': 'function',
      'gen_ai.tool.call.id': 'call-1',
      'airlock.tool.source': 'app',
    })
    const { spanId } = agent.spanContext()
    expect(named('chat large').parentSpanContext?.spanId).toBe(spanId)
    expect(tool.parentSpanContext?.spanId).toBe(spanId)
    expect(named('in the tool').parentSpanContext?.spanId).toBe(tool.spanContext().spanId)
    expect(everythingTold()).not.toContain('kept-private')
  })

  test('a tool that fails says how, and not in which words', async () => {
    using _ = mirror.airlock.tools.register('broken', {
      description: 'Breaks',
      readOnly: true,
      invoke: () => Promise.reject(new Error('cannot read result-kept-private')),
    })
    await expect(mirror.airlock.tools.invoke('broken', {})).rejects.toThrow('kept-private')
    const span = named('execute_tool broken')
    expect(span.status).toEqual({ code: SpanStatusCode.ERROR })
    expect(span.attributes).toMatchObject({ 'error.type': 'tool-failed' })
    expect(everythingTold()).not.toContain('kept-private')
  })

  test('captureContent: what is said is in the spans, in the form of the conventions', async () => {
    await using open = await mirrorAirlock({ telemetry: { captureContent: true } })
    await run(open).result()
    const chat = named('chat large').attributes
    expect(JSON.parse(String(chat['gen_ai.input.messages']))).toEqual([
      { role: 'user', parts: [{ type: 'text', content: PROMPT }] },
    ])
    const args = { at: 'argument-kept-private' }
    expect(JSON.parse(String(chat['gen_ai.output.messages']))).toEqual([
      {
        role: 'assistant',
        parts: [{ type: 'tool_call', id: 'call-1', name: 'look', arguments: args }],
        finish_reason: 'tool_call',
      },
    ])
    const tool = named('execute_tool look').attributes
    expect(JSON.parse(String(tool['gen_ai.tool.call.arguments']))).toEqual(args)
    expect(tool['gen_ai.tool.call.result']).toContain('result-kept-private')
  })
})

test('telemetry: false tells OpenTelemetry nothing', async () => {
  await using silent = await mirrorAirlock({ telemetry: false })
  await silent.ask(answer).result()
  expect(spans.getFinishedSpans()).toEqual([])
  expect((await measurements()).size).toBe(0)
})

test.each([{ telemetry: true }, { telemetry: { capture: true } }, { telemetry: { captureContent: 1 } }])(
  'telemetry: %o is refused',
  async options => {
    await expect(mirrorAirlock(options as never)).rejects.toThrow(InvalidOptionError)
  },
)

test.each([
  ['openai', 'openai'],
  ['anthropic', 'anthropic'],
  ['amazon-bedrock', 'aws.bedrock'],
  ['azure-openai', 'azure.ai.openai'],
  ['google-ai', 'gcp.gemini'],
  ['mistral', 'mistral_ai'],
  ['moonshot', 'moonshot_ai'],
  ['xai', 'x_ai'],
  ['deepseek', 'deepseek'],
  ['groq', 'groq'],
  ['perplexity', 'perplexity'],
  ['other-extension:xai', 'x_ai'],
  ['nobody-has-heard-of-it', 'nobody-has-heard-of-it'],
  ['constructor', 'constructor'],
])('toProviderName: %s is %s', (reference, name) => {
  expect(toProviderName(reference)).toBe(name)
})
