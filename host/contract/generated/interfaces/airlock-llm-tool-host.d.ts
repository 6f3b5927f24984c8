/** @module Interface airlock:llm/tool-host@0.1.0 **/
/**
 * Tokens of this text by the tokenizer of the model in use.
 */
export function countTokens(text: string): bigint;
/**
 * Calls another tool, if the manifest names it.
 */
export function invokeTool(toolId: string, invocation: ToolInvocation): ToolOutcome;
export type ToolOutcome = import('./airlock-llm-tools.js').ToolOutcome;
export type ToolInvocation = import('./airlock-llm-tools.js').ToolInvocation;
