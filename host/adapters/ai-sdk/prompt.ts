import type { MessagePart, RequestMessage } from '../../contract/request.ts'
import { toFilePart } from './file-data.ts'
import { type Keepsakes, rewriteJson } from './keepsakes.ts'
import type { PromptMessage, PromptPart, ToolCallPart, WithOptions } from './specification.ts'
import { toToolResult } from './tool-output.ts'
import type { Concern } from './warnings.ts'

export interface PromptOptions {
  /** Under which the prompt carries what is Airlock's. */
  name: string
  keepsakes: Keepsakes
  warn(concern: Concern): void
}

/**
 * The SDK's prompt, of any version, as Airlock's messages. `providerOptions.<name>.cache: true` of a message, or of
 * one of its parts, makes the message a prompt-cache anchor.
 * @throws `AI_UnsupportedFunctionalityError` for a file that cannot be sent.
 */
export function toMessages(prompt: readonly PromptMessage[], options: PromptOptions): RequestMessage[] {
  return prompt.flatMap(message => {
    const content = toContent(message, options)
    // Services refuse an assistant's turn in which nothing was said.
    if (message.role === 'assistant' && content.length === 0) return []
    const role = message.role === 'tool' ? 'user' : message.role
    return [{ role, content, ...(isAnchor(message, options.name) && { cache: true }) }]
  })
}

function toContent(message: PromptMessage, options: PromptOptions): string | MessagePart[] {
  if (message.role === 'system') return message.content
  return message.content.flatMap(part => toPart(part, options) ?? [])
}

function toPart(part: PromptPart, { keepsakes, warn }: PromptOptions): MessagePart | undefined {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text }
    case 'file':
      return toFilePart(part)
    case 'reasoning':
      return toThinking(part, keepsakes)
    case 'custom': {
      const { providerContent: data } = keepsakes.read(part.providerOptions)
      if (data !== undefined) return { type: 'provider-content', data }
      return leaveOut(`custom part ${part.kind}`, 'it is another provider’s', warn)
    }
    case 'tool-call':
      if (part.providerExecuted) return leaveOutForeign(part, warn)
      return toToolUse(part, keepsakes)
    case 'tool-result': {
      const { toolCallId: toolUseId, toolName } = part
      return { type: 'tool-result', toolUseId, toolName, ...toToolResult(part.output, warn) }
    }
    case 'tool-approval-response':
      // The SDK has acted on it: what came of it is the call's result.
      return undefined
    default:
      return leaveOut(`${part.type} part`, 'Airlock has no such part', warn)
  }
}

function toThinking(
  { text, providerOptions }: { text: string } & WithOptions,
  keepsakes: Keepsakes,
): MessagePart | undefined {
  const { redactedData, reasoningDetails, providerContent, signature } = keepsakes.read(providerOptions)
  if (redactedData !== undefined) return { type: 'redacted-thinking', data: redactedData }
  if (reasoningDetails !== undefined) return { type: 'reasoning-details', data: reasoningDetails }
  if (providerContent !== undefined) return { type: 'provider-content', data: providerContent }
  if (text === '' && signature === undefined) return undefined
  return { type: 'thinking', text, ...(signature !== undefined && { signature }) }
}

function toToolUse(part: ToolCallPart & WithOptions, keepsakes: Keepsakes): MessagePart {
  const { thoughtSignature, input: written } = keepsakes.read(part.providerOptions)
  const input = toInput(part.input)
  return {
    type: 'tool-use',
    id: part.toolCallId,
    name: part.toolName,
    // The app may have changed them, or mended them.
    input: written !== undefined && rewriteJson(written) === input ? written : input,
    ...(thoughtSignature !== undefined && { thoughtSignature }),
  }
}

/** Arguments that are no JSON object stay in some histories as the model wrote them; no service takes those back. */
function toInput(input: unknown): string {
  if (typeof input === 'object' && input !== null) return JSON.stringify(input)
  if (typeof input !== 'string') return '{}'
  try {
    const parsed: unknown = JSON.parse(input)
    return typeof parsed === 'object' && parsed !== null ? input : '{}'
  } catch {
    return '{}'
  }
}

function leaveOutForeign({ toolName }: ToolCallPart, warn: (concern: Concern) => void): undefined {
  return leaveOut(`call of ${toolName}`, 'the provider that ran it is another one', warn)
}

function leaveOut(what: string, why: string, warn: (concern: Concern) => void): undefined {
  warn({ about: 'setting', name: what, details: `Left out of the prompt: ${why}.` })
}

function isAnchor(message: PromptMessage, name: string): boolean {
  const parts: readonly WithOptions[] = typeof message.content === 'string' ? [] : message.content
  return [message, ...parts].some(({ providerOptions }) => providerOptions?.[name]?.cache === true)
}
