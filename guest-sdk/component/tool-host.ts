import * as tools from 'airlock:llm/tool-host@0.1.0'
import type { Host } from './host.ts'

/** What an extension of tools has of its host besides. */
export const toolHost = { ...tools } as unknown as Host<typeof tools, 'countTokens' | 'invokeTool'>
