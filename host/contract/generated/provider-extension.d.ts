// world airlock:llm/provider-extension@0.1.0
export type * as AirlockLlmHttpClient010 from './interfaces/airlock-llm-http-client.js'; // import airlock:llm/http-client@0.1.0
export type * as AirlockLlmLlmProvider010 from './interfaces/airlock-llm-llm-provider.js'; // import airlock:llm/llm-provider@0.1.0
export type * as AirlockLlmSystem010 from './interfaces/airlock-llm-system.js'; // import airlock:llm/system@0.1.0
export * as provider from './interfaces/airlock-llm-provider.js'; // export airlock:llm/provider@0.1.0
