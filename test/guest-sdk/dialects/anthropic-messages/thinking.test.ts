import { describe, expect, test } from 'vitest'
import type { MessagesRules } from '../../../../guest-sdk/dialects/anthropic-messages/index.ts'
import type { CompletionRequest } from '../../../../guest-sdk/request.ts'
import { assistant, toolResult, toolUse, user } from '../openai-chat/request.ts'
import { encode, look } from './encode-request.ts'

describe('encodeMessagesRequest: thinking', () => {
  const ask = (fields: Partial<CompletionRequest>, rules: Partial<MessagesRules>) => {
    const { body, warnings } = encode([user('Hi')], fields, rules)
    return { thinking: body.thinking, effort: (body.output_config as { effort?: string })?.effort, warnings }
  }
  const adaptive = { type: 'adaptive', display: 'summarized' }
  test.each<
    [name: string, fields: Partial<CompletionRequest>, rules: Partial<MessagesRules>, expected: object]
  >([
    ['adaptive by default', {}, { thinking: 'adaptive' }, { thinking: adaptive }],
    [
      'with effort',
      { reasoningEffort: 'low' },
      { thinking: 'adaptive' },
      { thinking: adaptive, effort: 'low' },
    ],
    ['most', { reasoningEffort: 'max' }, { thinking: 'adaptive' }, { thinking: adaptive, effort: 'max' }],
    ['least', { reasoningEffort: 'minimal' }, { thinking: 'adaptive' }, { effort: 'low' }],
    [
      'off',
      { thinkingAllowed: false },
      { thinking: 'adaptive', thinkingOff: 'disabled' },
      { thinking: { type: 'disabled' } },
    ],
    [
      'effort none',
      { reasoningEffort: 'none' },
      { thinking: 'adaptive', thinkingOff: 'between_tools' },
      { thinking: { type: 'between_tools' } },
    ],
    ['off by leaving out', { thinkingAllowed: false }, { thinking: 'adaptive' }, { thinking: undefined }],
    ['budget only when asked', {}, { thinking: 'budget' }, { thinking: undefined, effort: undefined }],
    [
      'budget by effort',
      { reasoningEffort: 'medium' },
      { thinking: 'budget' },
      { thinking: { type: 'enabled', budget_tokens: 10_000 } },
    ],
    [
      'budget of the settings',
      {},
      { thinking: 'budget', thinkingBudget: 2_000 },
      { thinking: { type: 'enabled', budget_tokens: 2_000 } },
    ],
    [
      'budget within max_tokens',
      { reasoningEffort: 'high', maxTokens: 2_000 },
      { thinking: 'budget' },
      { thinking: { type: 'enabled', budget_tokens: 1_600 } },
    ],
    ['a model that is not known', {}, {}, { thinking: undefined, effort: undefined }],
    [
      'a model that is not known, asked',
      { reasoningEffort: 'high' },
      {},
      { thinking: adaptive, effort: 'high' },
    ],
  ])('%s', (_, fields, rules, expected) => {
    const asked = ask(fields, rules)
    expect(asked).toMatchObject(expected)
    expect(asked.warnings).toEqual([])
  })
  test.each<
    [name: string, fields: Partial<CompletionRequest>, rules: Partial<MessagesRules>, expected: object]
  >([
    [
      'always thinks',
      { thinkingAllowed: false },
      { thinking: 'adaptive', thinkingOff: 'never' },
      { thinking: undefined, effort: 'low' },
    ],
    ['no room', { reasoningEffort: 'high', maxTokens: 500 }, { thinking: 'budget' }, { thinking: undefined }],
    [
      'temperature',
      { reasoningEffort: 'high', temperature: 0 },
      { thinking: 'budget' },
      { thinking: undefined },
    ],
    [
      'forced',
      { reasoningEffort: 'high', tools: [look], toolChoice: 'any' },
      { thinking: 'adaptive' },
      { thinking: undefined },
    ],
    [
      'no such effort',
      { reasoningEffort: 'max' },
      { thinking: 'adaptive', efforts: ['low', 'high'] },
      { effort: 'high' },
    ],
    [
      'does not think',
      { reasoningEffort: 'high' },
      { thinking: 'none' },
      { thinking: undefined, effort: undefined },
    ],
  ])('emulated with a warning: %s', (_, fields, rules, expected) => {
    const asked = ask(fields, rules)
    expect(asked).toMatchObject(expected)
    expect(asked.warnings).toHaveLength(1)
  })
  test('a budget is not used to go on with calls that were made without thinking', () => {
    const history = [user('Go'), assistant(toolUse('a', 'look', '{}')), user(toolResult('a', 'x'))]
    const { body, warnings } = encode(history, { reasoningEffort: 'high' }, { thinking: 'budget' })
    expect(body.thinking).toBeUndefined()
    expect(warnings).toHaveLength(1)
  })
})
