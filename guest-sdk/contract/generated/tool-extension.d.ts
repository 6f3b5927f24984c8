/// <reference path="./interfaces/airlock-llm-http-client.d.ts" />
/// <reference path="./interfaces/airlock-llm-system.d.ts" />
/// <reference path="./interfaces/airlock-llm-tool-host.d.ts" />
/// <reference path="./interfaces/airlock-llm-tools.d.ts" />
declare module 'airlock:llm/tool-extension@0.1.0' {
  export type * as AirlockLlmHttpClient010 from 'airlock:llm/http-client@0.1.0'; // import airlock:llm/http-client@0.1.0
  export type * as AirlockLlmSystem010 from 'airlock:llm/system@0.1.0'; // import airlock:llm/system@0.1.0
  export type * as AirlockLlmToolHost010 from 'airlock:llm/tool-host@0.1.0'; // import airlock:llm/tool-host@0.1.0
  export type * as AirlockLlmTools010 from 'airlock:llm/tools@0.1.0'; // import airlock:llm/tools@0.1.0
  export * as tools from 'airlock:llm/tools@0.1.0'; // export airlock:llm/tools@0.1.0
}
