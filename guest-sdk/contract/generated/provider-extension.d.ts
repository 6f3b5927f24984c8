/// <reference path="./interfaces/airlock-llm-http-client.d.ts" />
/// <reference path="./interfaces/airlock-llm-llm-provider.d.ts" />
/// <reference path="./interfaces/airlock-llm-provider.d.ts" />
/// <reference path="./interfaces/airlock-llm-system.d.ts" />
declare module 'airlock:llm/provider-extension@0.1.0' {
  export type * as AirlockLlmHttpClient010 from 'airlock:llm/http-client@0.1.0'; // import airlock:llm/http-client@0.1.0
  export type * as AirlockLlmLlmProvider010 from 'airlock:llm/llm-provider@0.1.0'; // import airlock:llm/llm-provider@0.1.0
  export type * as AirlockLlmSystem010 from 'airlock:llm/system@0.1.0'; // import airlock:llm/system@0.1.0
  export * as provider from 'airlock:llm/provider@0.1.0'; // export airlock:llm/provider@0.1.0
}
