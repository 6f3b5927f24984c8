import type { ChatService } from '@airlock/guest-sdk/dialects/openai-chat'

/**
 * Servers of the user's own. They are reached once their `apiUrl` is set, since only the user can let an extension
 * reach a local network. Each of the well-known ones is a provider by its own name, as in `lm-studio/qwen3`.
 */
export const SERVERS: readonly ChatService[] = [
  {
    id: 'openai-compatible',
    name: 'OpenAI-compatible server',
    icon: 'icons/openai-compatible.svg',
    exampleUrl: 'http://127.0.0.1:8080/v1',
    keyVariables: ['OPENAI_COMPATIBLE_API_KEY'],
    // A server that wants one says so itself.
    keyRequired: false,
  },
  local('lm-studio', 'LM Studio', 1234, 'LM_STUDIO_API_KEY'),
  local('llama-cpp', 'llama.cpp', 8080, 'LLAMA_CPP_API_KEY'),
  local('vllm', 'vLLM', 8000, 'VLLM_API_KEY'),
]

function local(id: string, name: string, port: number, keyVariable: string): ChatService {
  const exampleUrl = `http://127.0.0.1:${port}/v1`
  return {
    id,
    name,
    icon: `icons/${id}.svg`,
    exampleUrl,
    keyVariables: [keyVariable],
    keyRequired: false,
    isPreset: true,
    about:
      `Say where it listens: \`airlock settings set providers.${id}.apiUrl ${exampleUrl}\`. A key is needed only ` +
      `where the server asks for one: sign in with it, or set \`${keyVariable}\`.`,
  }
}
