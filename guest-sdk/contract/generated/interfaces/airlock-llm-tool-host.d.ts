/// <reference path="./airlock-llm-tools.d.ts" />
declare module 'airlock:llm/tool-host@0.1.0' {
  /**
   * Tokens of this text by the tokenizer of the model in use.
   */
  export function countTokens(text: string): bigint;
  /**
   * Calls another tool, if the manifest names it.
   */
  export function invokeTool(toolId: string, invocation: ToolInvocation): ToolOutcome;
  export type ToolOutcome = import('airlock:llm/tools@0.1.0').ToolOutcome;
  export type ToolInvocation = import('airlock:llm/tools@0.1.0').ToolInvocation;
}
