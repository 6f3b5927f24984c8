import {
  type Context,
  errorFromResponse,
  isObject,
  type JsonObject,
  type ModelDefinition,
  ProviderError,
} from '@airlock/guest-sdk'
import { assumedModel } from '@airlock/guest-sdk/dialects/openai-chat'
import { copilot } from './credential.ts'

/** The models that this account may chat with, as Copilot lists them now; the default first. */
export function listModels(context: Context): ModelDefinition[] {
  const { apiUrl, headers } = copilot(context)
  const response = context.fetch(`${apiUrl}/models`, { headers })
  if (!response.ok) throw new ProviderError(errorFromResponse(response))
  const answer = response.json()
  if (!isObject(answer) || !Array.isArray(answer.data)) {
    throw new ProviderError({ kind: 'other', message: 'Cannot read the list of models: it has no "data"' })
  }
  const models = answer.data.filter(isObject).filter(canChat).flatMap(describe)
  return models.sort((a, b) => Number(b.isDefault) - Number(a.isDefault))
}

function canChat(model: JsonObject): boolean {
  const { model_picker_enabled: isPicked, capabilities, policy, supported_endpoints: endpoints } = model
  if (isPicked === false || (isObject(policy) && policy.state !== 'enabled')) return false
  // Some are reached through other dialects only.
  if (Array.isArray(endpoints) && endpoints.length > 0 && !endpoints.includes('/chat/completions'))
    return false
  return isObject(capabilities) && capabilities.type === 'chat'
}

function describe(model: JsonObject): ModelDefinition[] {
  const { id, name } = model
  if (typeof id !== 'string' || id === '') return []
  const { family, limits, supports } = isObject(model.capabilities) ? model.capabilities : {}
  const {
    max_prompt_tokens: prompt,
    max_context_window_tokens: context,
    max_output_tokens: output,
  } = isObject(limits) ? limits : {}
  const has = (feature: string) => isObject(supports) && supports[feature] === true
  const { maxTokenCount: assumed } = assumedModel(id)
  return [
    {
      id,
      maxTokenCount: readCount(prompt) ?? readCount(context) ?? assumed,
      maxOutputTokens: readCount(output),
      ...(typeof name === 'string' && { name }),
      ...(typeof family === 'string' && { family }),
      capabilities: {
        supportsImages: has('vision'),
        supportsTools: has('tool_calls'),
        supportsParallelToolCalls: has('parallel_tool_calls'),
        supportsStructuredOutput: has('structured_outputs'),
      },
      isDefault: model.is_chat_default === true,
      isDefaultFast: model.is_chat_fallback === true,
    },
  ]
}

function readCount(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : undefined
}
