import { type CompletionRequest, type Context, ProviderError, type RequestHeaders } from '@airlock/guest-sdk'

/** The addresses that Copilot is at, or the one that the user set for all of them. */
export interface Addresses {
  /** People sign in here. */
  site: string
  /** Gives tokens for Copilot. */
  api: string
}

const SETTING = 'providers.github-copilot.apiUrl'

export function addresses(context: Context): Addresses {
  const own = context.settings()?.apiUrl?.trim().replace(/\/+$/, '')
  if (!own) return { site: 'https://github.com', api: 'https://api.github.com' }
  if (/^https?:\/\/[^\s?#]+$/i.test(own)) return { site: own, api: own }
  throw new ProviderError({
    kind: 'invalid-request',
    message: `Cannot use ${SETTING}: it must be an http or https URL: current value is ${JSON.stringify(own)}`,
  })
}

/** Who asks. Copilot refuses requests that do not say so, and integrations that it does not know. */
export const identity = {
  'user-agent': 'Airlock/0.1.0',
  'editor-version': 'Airlock/0.1.0',
  'editor-plugin-version': 'airlock-github-copilot/0.1.0',
  'copilot-integration-id': 'vscode-chat',
}

/** The version of GitHub's API that the answers are read by. */
export const apiVersion = { 'x-github-api-version': '2025-05-01' }

/** What Copilot wants to know of a completion: requests of people count, those of a tool loop do not. */
export function completionHeaders({ messages }: CompletionRequest): RequestHeaders {
  const last = messages.at(-1)
  const isAgent =
    last?.role === 'assistant' || last?.content.some(part => part.type === 'tool-result') === true
  const hasImage = messages.some(({ content }) =>
    content.some(
      part =>
        part.type === 'image' ||
        (part.type === 'tool-result' && part.content.some(inner => inner.type === 'image')),
    ),
  )
  return {
    'x-initiator': isAgent ? 'agent' : 'user',
    'openai-intent': 'conversation-panel',
    'copilot-vision-request': hasImage ? 'true' : undefined,
  }
}
