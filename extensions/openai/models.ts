/**
 * What is known of the service's models, limits and prices and how each wants to be asked, stands in the SDK's table
 * (`OPENAI_MODELS`): other services run the same models. Here is what only this service decides.
 */
export const DEFAULT_MODEL = 'gpt-6.2-sol'
export const DEFAULT_FAST_MODEL = 'gpt-6-luna'

/** Who the list says that the service's own models belong to; others are an organisation's, made by fine-tuning. */
export const SERVICE_OWNERS: readonly string[] = ['openai', 'system', 'openai-internal', 'openai-dev']

/** How many breakpoints a request may set, and the tokens below which the service caches nothing. */
export const CACHE = { maxCacheAnchors: 3, shouldCacheToolDefinitions: false, minTotalTokenCount: 1_024 }
