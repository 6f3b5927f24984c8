import type { Registration } from '../contract/registration.ts'
import type { Tool, ToolOrigin } from './tool.ts'

/** Where tools come from besides the program: an extension or an MCP server. */
export interface ToolSource {
  readonly name: Exclude<ToolOrigin, 'app'>
  /**
   * The tools that it has now. Called when the registry first needs them, after `onDidChange`, and again after a
   * failure. What it throws is listed beside the tools of the others. It may take long: the registry stops waiting
   * after a while, and takes the answer up when it comes.
   */
  list(): Promise<readonly SourceTool[]>
  /** Its tools, or its health, are no longer what they were: the registry asks again. */
  onDidChange?(listener: () => void): Registration
  /** Called once, when it is taken out or the registry closes. */
  close?(): Promise<void>
}

export interface SourceTool {
  /** Letters, digits, `_` and `-`, at most 64. One that another tool has already is left out and named. */
  id: string
  /** An error where what the source says of it cannot be used: it is listed beside the tools that can. */
  tool: Tool | Error
}
