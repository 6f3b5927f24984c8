import type { ReasoningEffort } from '../../request.ts'
import type { ChatQuirks } from '../openai-chat/quirks.ts'
import { EFFORTS, type ResponsesRules, resolveRules } from './rules.ts'

const ASKED: readonly ReasoningEffort[] = ['none', 'minimal', 'low', 'medium', 'high', 'max']

/** The same model through the chat API, for the dialect of that. */
export function chatQuirksOf(given: Partial<ResponsesRules> = {}): Partial<ChatQuirks> {
  const rules = resolveRules(given)
  const { thinking, efforts, sampling } = rules
  const isSampled = sampling !== 'never'
  const why = 'the model takes no sampling settings'
  return {
    maxTokensField: 'max_completion_tokens',
    systemRole: thinking ? rules.systemRole : 'system',
    images: rules.images,
    files: rules.files,
    effortField: thinking === false ? 'none' : 'reasoning_effort',
    effortNames: Object.fromEntries(
      ASKED.flatMap(effort => {
        const name = nearest(effort, rules)
        return name === undefined ? [] : [[effort, name]]
      }),
    ),
    thinkingOff: thinking ? (efforts.includes('none') ? { reasoning_effort: 'none' } : 'never') : {},
    ...(!isSampled && { refused: { temperature: why, topP: why } }),
  }
}

function nearest(effort: ReasoningEffort, { efforts }: ResponsesRules): string | undefined {
  const least = EFFORTS.indexOf(effort)
  return efforts.find(own => EFFORTS.indexOf(own) >= least) ?? efforts.at(-1)
}
