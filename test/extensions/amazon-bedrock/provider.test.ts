import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { KNOWN_MODELS } from '../../../extensions/amazon-bedrock/models.ts'
import extension from '../../../extensions/amazon-bedrock/provider.ts'
import { type Context, createHttpResponse, type SignInContext } from '../../../guest-sdk/index.ts'
import { parseManifest } from '../../../host/extension/manifest.ts'
import { requestOf, user } from '../../guest-sdk/dialects/openai-chat/request.ts'
import { repoRoot } from '../../support/repo-root.ts'
import { type Offered, offer } from '../openai-compatible/context.ts'

const [provider] = extension.providers
if (!provider?.request || !provider.signIn) throw new Error('the extension has no provider that asks')
const { models, request, signIn } = provider
const ask = requestOf([user('Hi')])
const keys = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret' }
const env = { ...keys, AWS_REGION: 'eu-west-1' }

function headersOf(offered: Offered, model = 'm'): Record<string, string> {
  return request(ask, model, offer(offered)).headers as Record<string, string>
}

test('extension.json: the hosts of Bedrock and no other, and the permission to read, said plainly', () => {
  const folder = join(repoRoot, 'extensions/amazon-bedrock')
  const file = join(folder, 'extension.json')
  const { permissions } = parseManifest(readFileSync(file, 'utf8'), file)
  expect(permissions.credentials).toBe('read')
  for (const origin of permissions.network) {
    expect(origin).toMatch(/^https:\/\/bedrock(-runtime)?\.[a-z0-9-]+\.amazonaws\.com$/)
  }
  for (const text of [
    provider.settingsMarkdown?.(offer({})),
    readFileSync(join(folder, 'README.md'), 'utf8'),
  ]) {
    expect(text).toContain('reads your AWS keys')
    expect(text).toContain('credentials')
  }
})

describe('request', () => {
  test('the model in the path, encoded; signed for the region of the environment', () => {
    const { url, headers, framing, method } = request(ask, 'a.b-v1:0', offer({ env }))
    expect({ url, framing, method }).toEqual({
      url: 'https://bedrock-runtime.eu-west-1.amazonaws.com/model/a.b-v1%3A0/converse-stream',
      framing: 'bytes',
      method: 'post',
    })
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'x-amz-date': '19700101T000000Z',
      authorization: expect.stringMatching(
        /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/19700101\/eu-west-1\/bedrock\/aws4_request, SignedHeaders=content-type;host;x-amz-date, Signature=[0-9a-f]{64}$/,
      ),
    })
  })

  test('an ARN is one segment of the path', () => {
    const arn = 'arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-haiku-4-5-20251001-v1:0'
    expect(request(ask, arn, offer({ env })).url).toContain(
      `/model/${encodeURIComponent(arn)}/converse-stream`,
    )
  })

  test.each<[string, Offered, string]>([
    ['the address', { env, apiUrl: 'https://bedrock-runtime.us-west-2.amazonaws.com' }, 'us-west-2'],
    ['a private address', { env, apiUrl: 'http://127.0.0.1:1' }, 'eu-west-1'],
    ['the older variable', { env: { ...keys, AWS_DEFAULT_REGION: 'ap-south-1' } }, 'ap-south-1'],
    [
      'the sign-in',
      { credential: '{"accessKeyId":"A","secretAccessKey":"s","region":"ca-central-1"}', env },
      'ca-central-1',
    ],
  ])('the region of %s', (_, offered, region) => {
    expect(headersOf(offered).authorization).toContain(`/${region}/bedrock/`)
  })

  test('temporary keys bring their token; an API key signs nothing', () => {
    const temporary = { ...env, AWS_SESSION_TOKEN: 'token' }
    expect(headersOf({ env: temporary })['x-amz-security-token']).toBe('token')
    for (const offered of [
      { credential: 'ABSK', env },
      { env: { AWS_BEARER_TOKEN_BEDROCK: 'ABSK', AWS_REGION: 'us-east-1' } },
    ]) {
      expect(headersOf(offered)).toEqual({ 'content-type': 'application/json', authorization: 'Bearer ABSK' })
    }
  })

  test('without keys, or without a region, it says what to do', () => {
    expect(() => headersOf({})).toThrow(/airlock login amazon-bedrock/)
    expect(() => headersOf({ env: keys })).toThrow(/set AWS_REGION/)
    expect(() => headersOf({ env: { ...keys, AWS_REGION: 'evil.example/#' } })).toThrow(
      /must be a name such as/,
    )
  })

  test('rules come from the table, for profiles and ARNs too, and from the settings', () => {
    const availableModels = [
      {
        name: 'us.anthropic.claude-haiku-4-5-20251001-v1:0',
        maxTokens: 9,
        maxOutputTokens: 5_000,
        thinkingBudget: 2_000,
      },
    ]
    const context = offer({ env, availableModels })
    const { body } = request({ ...ask, reasoningEffort: 'high' }, availableModels[0]?.name ?? '', context)
    expect(JSON.parse(String(body))).toMatchObject({
      additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 2_000 } },
    })
    expect(() => request({ ...ask, temperature: 0 }, 'eu.anthropic.claude-opus-5-5', offer({ env }))).toThrow(
      expect.objectContaining({ kind: 'unsupported' }),
    )
  })
})

describe('models', () => {
  const models4 = {
    modelSummaries: [
      {
        modelId: 'anthropic.claude-haiku-4-5-20251001-v1:0',
        modelName: 'Claude Haiku 4.5',
        inputModalities: ['TEXT', 'IMAGE'],
        outputModalities: ['TEXT'],
        responseStreamingSupported: true,
        inferenceTypesSupported: ['INFERENCE_PROFILE'],
      },
      {
        modelId: 'x.direct',
        outputModalities: ['TEXT'],
        inputModalities: ['TEXT'],
        inferenceTypesSupported: ['ON_DEMAND'],
      },
      { modelId: 'x.slow', outputModalities: ['TEXT'], responseStreamingSupported: false },
      { modelId: 'x.image', outputModalities: ['IMAGE'] },
    ],
  }
  const arn = (id: string) => ({ modelArn: `arn:aws:bedrock:eu-west-1::foundation-model/${id}` })
  const profiles = {
    inferenceProfileSummaries: [
      {
        inferenceProfileId: 'eu.anthropic.claude-haiku-4-5-20251001-v1:0',
        inferenceProfileName: 'EU Claude Haiku 4.5',
        status: 'ACTIVE',
        models: [arn('anthropic.claude-haiku-4-5-20251001-v1:0')],
      },
      { inferenceProfileId: 'eu.x.image', status: 'ACTIVE', models: [arn('x.image')] },
    ],
  }

  function serve(offered: Offered): Context & { asked: string[] } {
    const asked: string[] = []
    return {
      ...offer(offered),
      asked,
      fetch(url) {
        asked.push(String(url))
        return createHttpResponse({
          status: 200,
          body: JSON.stringify(String(url).includes('foundation') ? models4 : profiles),
        })
      },
    }
  }

  test('models of their own, and profiles of those that have one only', () => {
    const context = serve({ env })
    const found = models(context)
    expect(context.asked).toEqual([
      'https://bedrock.eu-west-1.amazonaws.com/foundation-models?byOutputModality=TEXT',
      'https://bedrock.eu-west-1.amazonaws.com/inference-profiles?maxResults=1000',
    ])
    expect(found).toMatchObject([
      { id: 'x.direct', maxTokenCount: 128_000, capabilities: { supportsImages: false } },
      {
        id: 'eu.anthropic.claude-haiku-4-5-20251001-v1:0',
        name: 'EU Claude Haiku 4.5',
        maxTokenCount: 200_000,
        pricing: { input: 1 },
        capabilities: { supportsImages: true, supportsThinking: true },
      },
    ])
  })

  test('without keys or a region, or where the list cannot be had: the table, by profile', () => {
    const ids = KNOWN_MODELS.map(({ id, profile = id }) => profile)
    for (const offered of [{}, { env: keys }]) expect(models(offer(offered)).map(({ id }) => id)).toEqual(ids)
    const context = offer({ env, models: { message: 'no' }, status: 500 })
    expect(models(context).map(({ id }) => id)).toEqual(ids)
    expect(context.warnings).toHaveLength(1)
    expect(models(offer({})).filter(({ isDefault }) => isDefault)).toHaveLength(1)
    expect(models(offer({})).filter(({ isDefaultFast }) => isDefaultFast)).toHaveLength(1)
  })

  test('keys that are refused are an error; models of the settings are added', () => {
    const refusal = { __type: 'UnrecognizedClientException', message: 'The security token is invalid.' }
    expect(() => models(offer({ env, models: refusal, status: 403 }))).toThrow(
      expect.objectContaining({ kind: 'authentication' }),
    )
    const availableModels = [{ name: 'mine', maxTokens: 7 }]
    expect(models(offer({ availableModels })).at(-1)).toMatchObject({ id: 'mine', maxTokenCount: 7 })
  })
})

test('signIn: access keys as one credential, an API key as it is', () => {
  const stored: string[] = []
  const context = {
    ...offer({}),
    storeCredential: (value: string) => stored.push(value),
  } as unknown as SignInContext
  signIn(
    'access-keys',
    { accessKeyId: ' A ', secretAccessKey: 's', sessionToken: '', region: 'us-east-1' },
    context,
  )
  signIn('api-key', { apiKey: ' ABSK ' }, context)
  expect(stored).toEqual(['{"accessKeyId":"A","secretAccessKey":"s","region":"us-east-1"}', 'ABSK'])
})

test('cacheConfiguration: four points where the model caches', () => {
  expect(provider.cacheConfiguration?.('us.anthropic.claude-haiku-4-5-20251001-v1:0')).toEqual({
    maxCacheAnchors: 4,
    shouldCacheToolDefinitions: true,
    minTotalTokenCount: 4_096,
  })
  expect(provider.cacheConfiguration?.('meta.llama3-3-70b-instruct-v1:0')).toBeUndefined()
})
