import { expect, test } from 'vitest'
import { ASSUMED_CONTEXT_TOKENS, readModelList } from '../../../../guest-sdk/dialects/openai-chat/index.ts'

test.each([
  ['data', { object: 'list', data: [{ id: 'a', object: 'model' }, { id: 'b' }] }],
  ['models', { models: [{ name: 'a', model: 'a' }, { id: 'b' }] }],
  ['a bare list', [{ id: 'a' }, { id: 'b' }]],
  ['ids', { data: ['a', 'b'] }],
  [
    'what is no model, and one named twice',
    { data: [null, 7, {}, { id: '' }, { id: 'a' }, { id: 'b' }, { id: 'a' }] },
  ],
])('readModelList: %s', (_, body) => {
  const models = readModelList(body)
  expect(models.map(model => model.id)).toEqual(['a', 'b'])
  for (const model of models) {
    expect(model).toMatchObject({
      maxTokenCount: ASSUMED_CONTEXT_TOKENS,
      capabilities: { supportsTools: true },
    })
  }
})

test.each([
  ['context_length', { context_length: 4096 }],
  ['max_model_len', { max_model_len: 4096 }],
  ['context_window', { context_window: 4096 }],
  ['max_context_length', { max_context_length: 4096 }],
  ['meta.n_ctx_train', { meta: { n_ctx_train: 4096 } }],
  [
    'what is served, before what it was made for',
    { max_context_length: 131_072, loaded_context_length: 4096 },
  ],
  ['top_provider', { context_length: 200_000, top_provider: { context_length: 4096 } }],
  [
    'values that are none are passed over',
    { context_length: null, context_window: '8k', max_model_len: 4096 },
  ],
])('readModelList: the context window: %s', (_, fields) => {
  expect(readModelList([{ id: 'a', ...fields }])[0]?.maxTokenCount).toBe(4096)
})

test('readModelList: what the server says of a model', () => {
  const said = {
    id: 'acme/one',
    name: 'Acme One',
    architecture: { input_modalities: ['text', 'image'] },
    supported_parameters: ['tools', 'max_tokens'],
    top_provider: { context_length: 1000, max_completion_tokens: 100 },
  }
  expect(readModelList({ data: [said] })).toEqual([
    {
      id: 'acme/one',
      name: 'Acme One',
      maxTokenCount: 1000,
      maxOutputTokens: 100,
      capabilities: {
        supportsImages: true,
        supportsFiles: false,
        supportsTools: true,
        supportsThinking: false,
        supportsStructuredOutput: false,
      },
    },
  ])
})

test('readModelList: models for something else than chat are left out', () => {
  const list = [
    { id: 'a' },
    { id: 'e', type: 'embeddings' },
    { id: 'm', capabilities: { completion_chat: false } },
  ]
  expect(readModelList(list).map(model => model.id)).toEqual(['a'])
})

test.each([[{}], [{ data: 'x' }], ['x'], [null], [7]])('readModelList: %j is no list', body => {
  expect(() => readModelList(body)).toThrow(
    expect.objectContaining({
      kind: 'other',
      message: `Cannot read the list of models: expected { "data": [...] }, got: ${JSON.stringify(body)}`,
    }),
  )
})
