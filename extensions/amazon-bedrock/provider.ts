import { defineProvider } from '@airlock/guest-sdk'
import {
  converseToolNames,
  createConverseDecoder,
  encodeConverseRequest,
  readBedrockRejection,
} from '@airlock/guest-sdk/dialects/bedrock-converse'
import { listModels, rulesOf } from './list-models.ts'
import { findKnownModel } from './models.ts'
import { findIdentity, signedRequest, writeStoredKeys } from './service.ts'

const MAX_CACHE_ANCHORS = 4

export default defineProvider<'bytes'>({
  id: 'amazon-bedrock',
  name: 'Amazon Bedrock',
  icon: 'icons/amazon-bedrock.svg',

  models: listModels,

  request(request, model, context) {
    const body = encodeConverseRequest(request, model, { rules: rulesOf(model, context), log: context.log })
    const path = `/model/${encodeURIComponent(model)}/converse-stream`
    return {
      ...signedRequest(context, { plane: 'bedrock-runtime', method: 'post', path, body }),
      method: 'post',
      body,
      framing: 'bytes',
      // A signature is for one address.
      maxRedirects: 0,
    }
  },

  decode: ({ request, context }) =>
    createConverseDecoder({ toolNames: converseToolNames(request), log: context.log }),

  reject: response => readBedrockRejection(response),

  cacheConfiguration(model) {
    const known = findKnownModel(model)
    if (!known?.minCachedTokens) return undefined
    return {
      maxCacheAnchors: MAX_CACHE_ANCHORS,
      shouldCacheToolDefinitions: known.rules.cachePoints === 'messages-and-tools',
      minTotalTokenCount: known.minCachedTokens,
    }
  },

  signInOptions: () => [
    {
      id: 'access-keys',
      label: 'Access keys of AWS',
      method: {
        type: 'form',
        fields: [
          { key: 'accessKeyId', label: 'Access key id', secret: false, placeholder: 'AKIA...' },
          { key: 'secretAccessKey', label: 'Secret access key' },
          { key: 'sessionToken', label: 'Session token', required: false },
          { key: 'region', label: 'Region', secret: false, required: false, placeholder: 'us-east-1' },
        ],
      },
    },
    {
      id: 'api-key',
      label: 'API key of Amazon Bedrock',
      method: { type: 'form', fields: [{ key: 'apiKey', label: 'API key' }] },
    },
  ],

  signIn(option, form, context) {
    context.storeCredential(option === 'access-keys' ? writeStoredKeys(form) : (form.apiKey ?? '').trim())
  },

  isAuthenticated: context => findIdentity(context) !== undefined,

  settingsMarkdown: () =>
    '**This extension reads your AWS keys.** AWS wants each request signed with the secret access key, and the ' +
    'signature is made inside the extension: so it asks for the permission `credentials: read`, and the key is not ' +
    'kept from it as keys are from other extensions. It can send to the hosts of Amazon Bedrock and to no other. ' +
    'Use keys that may do no more than `bedrock:InvokeModelWithResponseStream`, `bedrock:ListFoundationModels` and ' +
    '`bedrock:ListInferenceProfiles`.\n\n' +
    'Sign in with access keys, or with an API key of Amazon Bedrock; or set `AWS_ACCESS_KEY_ID`, ' +
    '`AWS_SECRET_ACCESS_KEY` and, for temporary ones, `AWS_SESSION_TOKEN`; or `AWS_BEARER_TOKEN_BEDROCK`. The region ' +
    'is that of `apiUrl`, of the sign-in, of `AWS_REGION`. Many models are offered through an inference profile ' +
    'only, such as `us.` or `global.` in front of the id. `availableModels` adds models, by id or ARN.',
})
