// world airlock:llm/tool-extension@0.1.0
export type * as AirlockLlmHttpClient010 from './interfaces/airlock-llm-http-client.js'; // import airlock:llm/http-client@0.1.0
export type * as AirlockLlmSystem010 from './interfaces/airlock-llm-system.js'; // import airlock:llm/system@0.1.0
export type * as AirlockLlmToolHost010 from './interfaces/airlock-llm-tool-host.js'; // import airlock:llm/tool-host@0.1.0
export type * as AirlockLlmTools010 from './interfaces/airlock-llm-tools.js'; // import airlock:llm/tools@0.1.0
export * as tools from './interfaces/airlock-llm-tools.js'; // export airlock:llm/tools@0.1.0
