import type { ProviderTool, WarningV2, WarningV3 } from './specification.ts'

/** Something that was asked for and does not happen, or happens otherwise. */
export type Concern =
  /** A call setting, by the SDK's name for it. */
  | { about: 'setting'; name: string; details: string }
  /** A tool that only one service runs. */
  | { about: 'tool'; tool: ProviderTool; details: string }
  /** It is done, but not quite as asked. */
  | { about: 'nearest'; name: string; details: string }

export function toWarningV2(concern: Concern): WarningV2 {
  const { details } = concern
  switch (concern.about) {
    case 'setting':
      return { type: 'unsupported-setting', setting: concern.name, details }
    case 'tool':
      return { type: 'unsupported-tool', tool: { ...concern.tool, type: 'provider-defined' }, details }
    case 'nearest':
      return { type: 'other', message: `${concern.name}: ${details}` }
    default:
      return concern satisfies never
  }
}

export function toWarningV3(concern: Concern): WarningV3 {
  const { details } = concern
  switch (concern.about) {
    case 'setting':
      return { type: 'unsupported', feature: concern.name, details }
    case 'tool':
      return { type: 'unsupported', feature: `provider-defined tool ${concern.tool.id}`, details }
    case 'nearest':
      return { type: 'compatibility', feature: concern.name, details }
    default:
      return concern satisfies never
  }
}
