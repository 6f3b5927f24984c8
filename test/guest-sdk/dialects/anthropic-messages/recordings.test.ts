import { describe, expect, test } from 'vitest'
import {
  createMessagesDecoder,
  encodeMessagesRequest,
} from '../../../../guest-sdk/dialects/anthropic-messages/index.ts'
import { cutAt, cutPositions, oneByOne } from '../../../servers/cuts.ts'
import { requestOf } from '../openai-chat/request.ts'
import { framesOf, hasRecording, recordedBody, replay, secondTurn } from '../replay.ts'
import { messagesRequest } from './api-schema.ts'

/** Larger bodies are cut at a sample of the places. */
const LARGE_BODY_BYTES = 16_000
const SAMPLE = 500

interface Expected {
  text: string
  thinking?: string
  /** How the signature of the thinking begins and ends. */
  signature?: [start: string, end: string]
  calls?: [id: string, name: string, input: string][]
  /** Types of the blocks that the service ran itself, in order. */
  opaque?: string[]
  /** Types of the parts, in order. */
  parts: string[]
  usage: { inputTokens: number; outputTokens: number }
  stop: string
  id: string
  model: string
}

const recordings: Record<string, Expected> = {
  'anthropic.text.chunks.txt': {
    text: "Hello! I'm doing well, thank you for asking. How are you doing today? Is there anything I can help you with?",
    parts: ['text'],
    usage: { inputTokens: 12, outputTokens: 30 },
    stop: 'end-turn',
    id: 'msg_01QC4g3HwBThD4BaNtBckFDJ',
    model: 'claude-sonnet-4-5-20250929',
  },
  'anthropic.tool-no-args.chunks.txt': {
    text: "I'll update the issue list for you.",
    calls: [['toolu_01QE1WLsSVp5hy5Q3GmGTmjP', 'updateIssueList', '{}']],
    parts: ['text', 'tool-use'],
    usage: { inputTokens: 565, outputTokens: 48 },
    stop: 'tool-use',
    id: 'msg_01GE2RKp1VYsPzdFs3sS9z5S',
    model: 'claude-sonnet-4-5-20250929',
  },
  'anthropic.json-tool.chunks.txt': {
    text: "I'll invoke the JSON response tool.",
    calls: [
      [
        'toolu_01KFbKqPYSuAKujiL6mTfzYA',
        'json',
        '{"elements": [{"location": "San Francisco", "temperature": 58, "condition": "sunny"}]}',
      ],
    ],
    parts: ['text', 'tool-use'],
    usage: { inputTokens: 849, outputTokens: 47 },
    stop: 'tool-use',
    id: 'msg_01K2JbSUMYhez5RHoK9ZCj9U',
    model: 'claude-haiku-4-5-20251001',
  },
  'anthropic.refusal.chunks.txt': {
    text: '',
    parts: [],
    usage: { inputTokens: 18, outputTokens: 5 },
    stop: 'refusal',
    id: 'msg_01RefusalStreamAbcdefghijk',
    model: 'claude-fable-5',
  },
  'anthropic.server-tool-web-fetch.chunks.txt': {
    text: 'The page at **example.com** is a simple placeholder page explaining that the domain is reserved for use in illustrative documentation examples and does not require prior permission to reference.',
    opaque: ['server_tool_use', 'server_tool_use', 'web_fetch_tool_result', 'code_execution_tool_result'],
    parts: ['provider-content', 'provider-content', 'provider-content', 'provider-content', 'text'],
    usage: { inputTokens: 7172, outputTokens: 144 },
    stop: 'end-turn',
    id: 'msg_01VYExUoD2gEMU8ZX5j5XBEZ',
    model: 'claude-sonnet-4-6',
  },
  'anthropic.code-execution.0.sse': {
    text:
      "I'll calculate that expression for you right away!" +
      "Following the standard **order of operations (PEMDAS/BODMAS)** — multiplication is performed before addition and subtraction — here's the breakdown:\n\n" +
      '| Step | Operation | Result |\n|------|-----------|--------|\n| 1️⃣ | `6544 × 65464` | `428,394,416` |\n' +
      '| 2️⃣ | `65465 - 428,394,416` | `-428,328,951` |\n| 3️⃣ | `-428,328,951 - 6` | `-428,328,957` |\n' +
      '| 4️⃣ | `-428,328,957 + 1.02255` | **`-428,328,955.97745`** |\n\n### ✅ Final Answer: **-428,330,955.97745**',
    thinking: 'Let me calculate this mathematical expression.',
    signature: ['EusBClsIDRgCKkBp', 'omrp4RcinBgB'],
    opaque: ['server_tool_use', 'bash_code_execution_tool_result'],
    parts: ['thinking', 'text', 'provider-content', 'provider-content', 'text'],
    usage: { inputTokens: 4714, outputTokens: 304 },
    stop: 'end-turn',
    id: 'msg_01Js8aWE7YbmiaUPneGiCskE',
    model: 'claude-sonnet-4-6',
  },
  'anthropic.thinking-signature.0.sse': {
    text: expect.stringMatching(
      /^Here are the basic steps for safely crossing the street:\n\n[\s\S]+safety over speed when crossing streets\.$/,
    ) as unknown as string,
    thinking:
      'This is a straightforward question about pedestrian safety. I should provide clear, helpful advice about how to safely cross a street. This is basic safety information that could help prevent accidents.',
    signature: ['EvMCCkYICxgC', ''],
    parts: ['thinking', 'text'],
    usage: { inputTokens: 43, outputTokens: 282 },
    stop: 'end-turn',
    id: 'msg_01ALwQ87pTS7hH1PjSdC9wJD',
    model: 'claude-sonnet-4-20250514',
  },
}

const read = (pieces: readonly Uint8Array[]) => replay(createMessagesDecoder(), framesOf(pieces))

describe.each(Object.entries(recordings))('%s', (file, expected) => {
  test('createMessagesDecoder: reads what the recording says', ({ skip }) => {
    if (!hasRecording(file)) skip('the recordings are not beside the repository')
    const { result, error, stopped } = read([recordedBody(file, { named: true })])
    expect(error).toBeUndefined()
    expect(stopped).toBe(true)
    expect(result.text).toEqual(expected.text)
    expect(result.parts.map(part => part.type)).toEqual(expected.parts)
    expect(result.toolUses.map(({ id, name, input }) => [id, name, input])).toEqual(expected.calls ?? [])
    expect(result.brokenToolUses).toEqual([])
    expect(result.usage).toMatchObject({ ...expected.usage, cacheReadInputTokens: 0 })
    expect([result.stopReason, result.id, result.model]).toEqual([expected.stop, expected.id, expected.model])
    const thinking = result.parts.find(part => part.type === 'thinking')
    expect(thinking?.text).toBe(expected.thinking)
    if (expected.signature) {
      expect(thinking?.signature?.startsWith(expected.signature[0])).toBe(true)
      expect(thinking?.signature?.endsWith(expected.signature[1])).toBe(true)
    }
    const opaque = result.parts.flatMap(part =>
      part.type === 'provider-content' ? [(JSON.parse(part.data) as { type: string }).type] : [],
    )
    expect(opaque).toEqual(expected.opaque ?? [])
  })

  test('createMessagesDecoder: says the same wherever the bytes are cut (A2)', ({ skip }) => {
    if (!hasRecording(file)) skip('the recordings are not beside the repository')
    const body = recordedBody(file, { named: true })
    const whole = read([body])
    const positions = cutPositions(body.length, body.length > LARGE_BODY_BYTES ? SAMPLE : body.length + 1)
    for (const at of positions) expect(read(cutAt(body, at)), `cut at ${at}`).toEqual(whole)
    expect(read(oneByOne(body)), 'one byte at a time').toEqual(whole)
  })

  test('encodeMessagesRequest: the second turn is one that the API takes, opaque parts byte for byte', ({
    skip,
  }) => {
    if (!hasRecording(file)) skip('the recordings are not beside the repository')
    const { result } = read([recordedBody(file, { named: true })])
    const body = encodeMessagesRequest(requestOf(secondTurn(result)), 'm')
    expect(messagesRequest.safeParse(JSON.parse(body)).error?.issues).toBeUndefined()
    for (const part of result.parts) {
      if (part.type === 'thinking') expect(body).toContain(JSON.stringify(part.signature))
      if (part.type === 'provider-content') expect(body).toContain(part.data)
    }
  })
})
