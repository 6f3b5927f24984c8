import { expect } from 'vitest'
import {
  encodeResponsesRequest,
  type ResponsesRules,
} from '../../../../guest-sdk/dialects/openai-responses/index.ts'
import type { CompletionRequest, RequestMessage } from '../../../../guest-sdk/request.ts'
import { requestOf } from '../openai-chat/request.ts'
import { responsesRequest } from './api-schema.ts'

export interface Wire {
  instructions?: string
  input: Record<string, unknown>[]
  [field: string]: unknown
}

/** Encodes for the model `m` of `openai`, checks against the API reference, and reads back. */
export function encode(
  messages: readonly RequestMessage[],
  fields: Partial<CompletionRequest> = {},
  rules: Partial<ResponsesRules> = {},
): { body: Wire; text: string; warnings: string[] } {
  const warnings: string[] = []
  const log = { warn: (message: string) => void warnings.push(message), debug() {} }
  const text = encodeResponsesRequest(requestOf(messages, fields), 'm', { service: 'openai', rules, log })
  const body = JSON.parse(text) as Wire
  expect(responsesRequest.safeParse(body).error?.issues).toBeUndefined()
  return { body, text, warnings }
}

export const look = { name: 'look', description: 'Looks.', inputSchema: { type: 'object' } }
export const refusal = (field: string) =>
  expect.objectContaining({ kind: 'unsupported', message: expect.stringContaining(`Cannot send ${field}`) })
