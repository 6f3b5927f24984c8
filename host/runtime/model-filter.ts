import type { ModelCapabilities, ModelInfo } from '../contract/models.ts'
import { InvalidOptionError } from '../errors.ts'
import { hintAt } from './check-option-names.ts'

type Capability = {
  [Name in keyof ModelCapabilities]-?: ModelCapabilities[Name] extends boolean ? Name : never
}[keyof ModelCapabilities]

/** Which models are wanted: those that fit everything that is said. */
export interface ModelFilter {
  /** As callers write it. Only this provider is asked. */
  provider?: string
  extension?: string
  /** The id at the provider. */
  id?: string
  family?: string
  /** What the model must be able to do, e.g. `supportsTools`. */
  capability?: Capability | readonly Capability[]
  /** Tokens that must fit into its context. */
  minTokenCount?: number
  isDefault?: boolean
  isDefaultFast?: boolean
}

const NAMES = [
  'provider',
  'extension',
  'id',
  'family',
  'capability',
  'minTokenCount',
  'isDefault',
  'isDefaultFast',
] as const

const CAPABILITIES: readonly Capability[] = [
  'supportsImages',
  'supportsFiles',
  'supportsTools',
  'supportsToolChoiceAuto',
  'supportsToolChoiceAny',
  'supportsToolChoiceNone',
  'supportsToolChoiceTool',
  'supportsParallelToolCalls',
  'supportsThinking',
  'supportsStructuredOutput',
  'supportsStreaming',
]

/** @throws {InvalidOptionError} where it names what there is not, with the nearest that there is. */
export function checkModelFilter(filter: ModelFilter): ModelFilter {
  for (const name of Object.keys(filter)) refuseUnknown('models cannot be chosen by', name, NAMES)
  for (const name of wantedCapabilities(filter)) refuseUnknown('there is no capability', name, CAPABILITIES)
  return filter
}

function refuseUnknown(what: string, name: string, known: readonly string[]): void {
  if (known.includes(name)) return
  throw new InvalidOptionError(`Cannot choose models: ${what} "${name}": ${hintAt(name, known)}`)
}

/** Whether the model is one of those; its provider has been seen to. */
export function fitsFilter(model: ModelInfo, filter: ModelFilter): boolean {
  const { minTokenCount = 0 } = filter
  return (
    (['extension', 'id', 'family', 'isDefault', 'isDefaultFast'] as const).every(
      name => filter[name] === undefined || model[name] === filter[name],
    ) &&
    model.maxTokenCount >= minTokenCount &&
    wantedCapabilities(filter).every(name => model.capabilities[name])
  )
}

function wantedCapabilities({ capability = [] }: ModelFilter): readonly Capability[] {
  return typeof capability === 'string' ? [capability] : capability
}
