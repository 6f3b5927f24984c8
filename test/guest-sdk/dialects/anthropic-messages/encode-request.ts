import { expect } from 'vitest'
import {
  encodeMessagesRequest,
  type MessagesRules,
} from '../../../../guest-sdk/dialects/anthropic-messages/index.ts'
import type { CompletionRequest, RequestMessage } from '../../../../guest-sdk/request.ts'
import { requestOf } from '../openai-chat/request.ts'
import { messagesRequest } from './api-schema.ts'

export interface Wire {
  max_tokens: number
  system?: object[]
  messages: { role: string; content: Record<string, unknown>[] }[]
  [field: string]: unknown
}

/** Encodes, checks against the API reference, and reads back. */
export function encode(
  messages: readonly RequestMessage[],
  fields: Partial<CompletionRequest> = {},
  rules: Partial<MessagesRules> = {},
): { body: Wire; text: string; warnings: string[] } {
  const warnings: string[] = []
  const log = { warn: (message: string) => void warnings.push(message), debug() {} }
  const text = encodeMessagesRequest(requestOf(messages, fields), 'm', { rules, log })
  const body = JSON.parse(text) as Wire
  expect(messagesRequest.safeParse(body).error?.issues).toBeUndefined()
  return { body, text, warnings }
}

export const look = { name: 'look', description: 'Looks.', inputSchema: { type: 'object' } }
export const refusal = (field: string) =>
  expect.objectContaining({ kind: 'unsupported', message: expect.stringContaining(`Cannot send ${field}`) })
