import { expect, test } from 'vitest'
import { type ChatQuirks, encodeChatRequest } from '../../../../guest-sdk/dialects/openai-chat/index.ts'
import type { MessagePart, RequestMessage } from '../../../../guest-sdk/request.ts'
import { assistant, requestOf, toolUse, user } from './request.ts'

const call = (id: string, input = '{}') => ({
  id,
  type: 'function',
  function: { name: 'look', arguments: input },
})
const thinking: MessagePart = { type: 'thinking', text: 'Hm' }

const cases: [name: string, messages: RequestMessage[], wire: unknown[], quirks?: Partial<ChatQuirks>][] = [
  ['I1 thinking stays here', [assistant(thinking, 'Hi')], [{ role: 'assistant', content: 'Hi' }]],
  [
    'I1 thinking goes back',
    [assistant(thinking, 'Hi')],
    [{ role: 'assistant', content: 'Hi', reasoning_content: 'Hm' }],
    { reasoningEcho: 'always' },
  ],
  [
    'I1 thinking goes back on turns with calls, empty too',
    [
      assistant(thinking, 'Hi'),
      assistant(thinking, toolUse('a', 'look', '{}')),
      assistant(toolUse('b', 'look', '{}')),
    ],
    [
      { role: 'assistant', content: 'Hi' },
      { role: 'assistant', content: null, reasoning: 'Hm', tool_calls: [call('a')] },
      { role: 'assistant', content: null, reasoning: '', tool_calls: [call('b')] },
    ],
    { reasoningEcho: 'tool-turns', reasoningField: 'reasoning' },
  ],
  [
    'thinking goes back as a part',
    [assistant(thinking, 'Hi')],
    [
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] },
          { type: 'text', text: 'Hi' },
        ],
      },
    ],
    { reasoningEcho: 'always', reasoningField: 'thinking-part' },
  ],
  [
    'reasoning details go back, and the plain text does not',
    [
      assistant(
        thinking,
        {
          type: 'reasoning-details',
          data: '[{"type":"reasoning.text","text":"Hm","signature":"SIG","index":0}]',
        },
        'Hi',
        { type: 'reasoning-details', data: '[{"type":"reasoning.encrypted","data":"AAA"}]' },
      ),
    ],
    [
      {
        role: 'assistant',
        content: 'Hi',
        reasoning_details: [
          { type: 'reasoning.text', text: 'Hm', signature: 'SIG', index: 0 },
          { type: 'reasoning.encrypted', data: 'AAA' },
        ],
      },
    ],
    { reasoningEcho: 'always', reasoningDetails: true },
  ],
  [
    'what other dialects keep is left out',
    [assistant({ type: 'redacted-thinking', data: 'x' }, 'Hi', { type: 'provider-content', data: '{}' })],
    [{ role: 'assistant', content: 'Hi' }],
  ],
  [
    'reasoning details of another dialect are left out',
    [assistant({ type: 'reasoning-details', data: '{"type":"openai.reasoning","item":{}}' }, 'Hi')],
    [{ role: 'assistant', content: 'Hi' }],
    { reasoningDetails: true },
  ],
  [
    'a thought signature goes back with its call',
    [
      assistant({
        type: 'tool-use',
        id: 'a',
        name: 'look',
        input: '{}',
        thoughtSignature: 'openai-chat:SIG',
      }),
    ],
    [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ ...call('a'), extra_content: { google: { thought_signature: 'SIG' } } }],
      },
    ],
  ],
  [
    'a thought signature that another dialect wrote is left out',
    [assistant({ type: 'tool-use', id: 'a', name: 'look', input: '{}', thoughtSignature: 'U0lH' })],
    [{ role: 'assistant', content: null, tool_calls: [call('a')] }],
  ],
  [
    'J2 half a character',
    [user('a\ud83d'), assistant(toolUse('a', 'look', '{"x":"\ude00"}'))],
    [
      { role: 'user', content: 'a\ufffd' },
      { role: 'assistant', content: null, tool_calls: [call('a', '{"x":"\ufffd"}')] },
    ],
  ],
]

test.each(cases)('encodeChatRequest: %s', (_, messages, wire, quirks) => {
  expect(encodeChatRequest(requestOf(messages), 'm', quirks).messages).toEqual(wire)
})
