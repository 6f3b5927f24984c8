import { defineProvider } from '@airlock/guest-sdk'
import { createOpenAiDecoder, encodeOpenAiRequest } from '@airlock/guest-sdk/dialects/openai-responses'
import { listModels, optionsFor } from './models.ts'
import { apiHeaders, apiKey, apiOf, completionUrl, SERVICE } from './service.ts'

/** A model's id is the name of its deployment. */
export default defineProvider({
  id: 'azure-openai',
  name: 'Azure OpenAI',
  icon: 'icons/azure-openai.svg',

  models: listModels,

  request(request, model, context) {
    return {
      url: completionUrl(context),
      headers: apiHeaders(context),
      body: encodeOpenAiRequest(apiOf(context), request, model, optionsFor(model, context)),
    }
  },

  decode: start => createOpenAiDecoder(apiOf(start.context), start, SERVICE),

  signInOptions: () => [
    {
      id: 'api-key',
      label: 'API key',
      method: { type: 'form', fields: [{ key: 'apiKey', label: "The resource's API key", secret: true }] },
    },
  ],

  isAuthenticated: context => apiKey(context) !== undefined,

  settingsMarkdown: () =>
    'Set `apiUrl` to the endpoint of your resource, for example `https://my-resource.openai.azure.com`, and sign in ' +
    'with one of its keys, or set `AZURE_OPENAI_API_KEY`. Deployments are asked through the Responses API; an `apiUrl` ' +
    'that ends with `/chat/completions` asks for the chat API, which other models than those of OpenAI need.\n\n' +
    '`availableModels` names deployments, each with its limits. Where a deployment is not called as its model is, say ' +
    'the model in `displayName`, for example `gpt-6-luna`: what it takes depends on it.',
})
