declare module 'airlock:llm/tools@0.1.0' {
  export function tools(): Array<ToolDescription>;
  export function invoke(toolId: string, invocation: ToolInvocation): ToolOutcome;
  export interface ToolDescription {
    /**
     * Unique in the host: letters, digits, `_` and `-`, at most 64.
     */
    id: string,
    displayName?: string,
    /**
     * For the model.
     */
    modelDescription: string,
    /**
     * JSON Schema text.
     */
    parametersSchema?: string,
  }
  export interface ToolResultPart {
    /**
     * IANA media type, e.g. "text/plain".
     */
    contentType: string,
    /**
     * Text, or base64 for a type that is not text.
     */
    data: string,
  }
  export interface ToolOutcome {
    parts: Array<ToolResultPart>,
    isError: boolean,
  }
  export interface ToolInvocation {
    /**
     * JSON object text that satisfies the schema.
     */
    parameters: string,
    /**
     * The most tokens that the outcome should hold.
     */
    tokenBudget?: bigint,
  }
}
