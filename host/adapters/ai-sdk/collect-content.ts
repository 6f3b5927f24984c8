import type {
  Content,
  Finish,
  ProviderMetadata,
  ResponseMetadata,
  SpecificationVersion,
  StreamPart,
} from './specification.ts'

/** A whole answer, joined from its parts. */
export interface CollectedAnswer<Version extends SpecificationVersion> {
  content: Content<Version>[]
  response?: ResponseMetadata
  finish?: Finish<Version>
}

interface Block {
  type: 'text' | 'reasoning'
  text: string
  providerMetadata?: ProviderMetadata
}

export function collectContent<Version extends SpecificationVersion>(
  parts: readonly StreamPart<Version>[],
): CollectedAnswer<Version> {
  const answer: CollectedAnswer<Version> = { content: [] }
  const blocks = new Map<string, Block>()
  for (const part of parts) {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start': {
        const block: Block = { type: part.type === 'text-start' ? 'text' : 'reasoning', text: '' }
        blocks.set(part.id, keepMetadata(block, part))
        answer.content.push(block)
        break
      }
      case 'text-delta':
      case 'reasoning-delta': {
        const block = blocks.get(part.id)
        if (block) block.text += part.delta
        break
      }
      case 'text-end':
      case 'reasoning-end': {
        const block = blocks.get(part.id)
        if (block) keepMetadata(block, part)
        break
      }
      case 'tool-call':
      case 'source':
      case 'file':
      case 'custom':
        answer.content.push(part)
        break
      case 'response-metadata': {
        const { type: _, ...response } = part
        answer.response = { ...answer.response, ...response }
        break
      }
      case 'finish':
        answer.finish = part
        break
      default: // What tells how the answer came, and not what it is.
    }
  }
  return answer
}

function keepMetadata(block: Block, { providerMetadata }: { providerMetadata?: ProviderMetadata }): Block {
  if (providerMetadata) block.providerMetadata = providerMetadata
  return block
}
