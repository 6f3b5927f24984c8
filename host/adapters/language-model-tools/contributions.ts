import { InvalidOptionError } from '../../errors.ts'

/** A tool as `contributes.languageModelTools` of a package.json describes it; what else it says of it is ignored. */
export interface ToolContribution {
  /** The id that `registerTool` gives it. */
  name?: string
  /** The same, as the first version of the interface calls it. */
  id?: string
  displayName?: string
  /** For the model. */
  modelDescription?: string
  /** The same, where there is no `modelDescription`. */
  description?: string
  inputSchema?: object
  parametersSchema?: object
  tags?: readonly string[]
  /** Airlock's own: changes nothing, so that nobody is asked. */
  readOnly?: boolean
}

/** What was contributed, by id. @throws {InvalidOptionError} an entry has no name, or one that is taken */
export function readContributions(given: readonly ToolContribution[]): Map<string, ToolContribution> {
  const contributions = new Map<string, ToolContribution>()
  given.forEach((contribution, at) => {
    const id = contribution.name ?? contribution.id
    if (typeof id !== 'string' || id === '') refuse(at, 'has no name')
    if (contributions.has(id!)) refuse(at, `has the name "${id}" of another one`)
    contributions.set(id!, contribution)
  })
  return contributions
}

function refuse(at: number, problem: string): never {
  throw new InvalidOptionError(`Cannot use contributions: contributions[${at}] ${problem}`)
}
