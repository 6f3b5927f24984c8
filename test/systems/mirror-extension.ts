import { buildTestExtension } from '../support/test-extension.ts'

const manifest = JSON.stringify({
  id: 'mirror',
  name: 'Mirror',
  version: '0.1.0',
  contract: 'airlock:llm@0.1.0',
  component: 'dist/mirror.wasm',
  providers: [{ id: 'mirror', name: 'Mirror', icon: 'icons/mirror.svg' }],
  tools: [],
  permissions: {
    network: [],
    env: [],
    plainEnv: ['MIRROR_MOOD'],
    credentials: 'use',
    browser: ['https://mirror.example'],
    memoryMiB: 64,
  },
})

// Tells the caller what it was given, as text, or gives the events that the caller wants to see.
const provider = `
import { defineProvider, ProviderError } from '@airlock/guest-sdk'

const capabilities = {
  supportsImages: true, supportsFiles: false, supportsTools: true, supportsToolChoiceAuto: true,
  supportsToolChoiceAny: true, supportsToolChoiceNone: false, supportsToolChoiceTool: true,
  supportsParallelToolCalls: true, supportsThinking: true, supportsStructuredOutput: false,
  supportsStreaming: true, toolInputFormat: 'json-schema',
}
const pricing = { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 }

export default defineProvider({
  id: 'mirror',
  name: 'Mirror',
  icon: 'icons/mirror.svg',
  models(context) {
    const own = [
      { id: 'large', name: 'Large', family: 'mirror', maxTokenCount: 100000, maxOutputTokens: 4000, capabilities, pricing, isDefault: true },
      { id: 'small', name: 'Small', family: 'mirror', maxTokenCount: 1000, capabilities: { ...capabilities, supportsImages: false, toolInputFormat: 'simplified', maxTools: 2 }, isDefaultFast: true },
      { id: 'google', name: 'Subset', family: 'other', maxTokenCount: 1000, capabilities: { ...capabilities, toolInputFormat: 'json-schema-subset' } },
    ]
    const named = context.settings()?.availableModels ?? []
    return [...own, ...named.map(model => ({
      id: model.name, name: model.displayName, maxTokenCount: model.maxTokens, maxOutputTokens: model.maxOutputTokens,
      capabilities: { supportsThinking: model.thinkingBudget !== undefined },
    }))]
  },
  *respond(request, model, context) {
    const { fail, events } = request.providerOptions
    if (events) yield* events
    if (fail) throw new ProviderError(fail)
    if (events) return
    const told = {
      request, model, settings: context.settings(), credential: context.credential(), mood: context.env('MIRROR_MOOD'),
    }
    yield { type: 'text', text: JSON.stringify(told) }
    yield { type: 'stop', reason: 'end-turn' }
  },
  countTokens: request => JSON.stringify(request.messages).length,
  cacheConfiguration: model =>
    model === 'large' ? { maxCacheAnchors: 2, shouldCacheToolDefinitions: true, minTotalTokenCount: 5 } : undefined,
  signInOptions: () => [
    { id: 'key', label: 'Key', method: { type: 'form', fields: [{ key: 'key', label: 'Key', placeholder: 'mk-...' }] } },
    { id: 'device', label: 'Device', method: { type: 'device-flow' } },
  ],
  signOut: context => context.deleteCredential(),
  startDeviceFlow: () => ({
    prompt: {
      userCode: 'ABC-123', verificationUrl: 'https://mirror.example/device', headline: 'Use Mirror', description: 'An account is needed.',
      connectButtonLabel: 'Connect', successHeadline: 'Done', successMessage: 'You can close this.',
    },
    state: 'state-1', pollIntervalSeconds: 0, expiresInSeconds: 60,
  }),
  pollDeviceFlow(state, context) {
    context.storeCredential('from ' + state)
    return 'complete'
  },
  settingsMarkdown: () => '# Mirror',
})
`

const icon = '<svg xmlns="http://www.w3.org/2000/svg"/>'

/** The folder of the built extension `mirror`: a provider that shows its caller what it was given. */
export function mirrorExtension(): Promise<string> {
  return buildTestExtension({
    'extension.json': manifest,
    'provider.ts': provider,
    'icons/mirror.svg': icon,
  })
}
