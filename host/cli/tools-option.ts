import { InvalidArgumentError } from 'commander'

/** Given to commander's `option`. */
export const TOOLS_OPTION = [
  '--tools <ids>',
  'tools that the model may call, with commas between, or "all"; see airlock tools',
  readTools,
] as const

export type ToolChoice = 'all' | string[]

function readTools(text: string): ToolChoice {
  if (text === 'all') return text
  const ids = text
    .split(',')
    .map(id => id.trim())
    .filter(id => id !== '')
  if (ids.length === 0) throw new InvalidArgumentError('Name tools, or "all".')
  return ids
}
