import * as z from 'zod'
import { bareError, type ChatVariant, openaiChat } from './services/openai-chat.ts'
import {
  documentPart,
  COMMON_FIELDS as format,
  imagePart,
  jsonObjectFormat,
} from './services/openai-chat-schema.ts'
import { JSON_ONLY, type Lack, NO_FILES, NO_FILTER, NO_REFUSALS, OWN_CACHE, type Subject } from './subject.ts'

const efforts = (...names: string[]) => z.enum(names).optional()
const { seed: _, stream_options: _options, ...mistralFields } = format
const { seed: _seed, parallel_tool_calls: _parallel, ...deepseekFields } = format
const { max_tokens: _most, ...groqFields } = format

const { seed: _noSeed, ...unseeded } = format
const { parallel_tool_calls: _sequential, ...unparallel } = format
const thinkingSwitch = z.strictObject({ type: z.enum(['enabled', 'disabled']) }).optional()
const NO_TOOLS: Lack = { why: 'takes no tools', outcome: 'refused' }

/** Services that speak the chat dialect and have a name of their own: each differs from the others in what it takes. */
export const CHAT_SUBJECTS: readonly Subject[] = [
  {
    provider: 'mistral',
    model: 'mistral-medium-3-5',
    base: '/v1',
    dialect: openaiChat({
      // https://docs.mistral.ai/api/endpoint/chat
      fields: {
        ...mistralFields,
        random_seed: z.int().optional(),
        reasoning_effort: efforts('none', 'high'),
      },
      assistant: { prefix: z.boolean().optional() },
      callId: /^[a-zA-Z0-9]{9}$/,
      anyTool: 'any',
      parts: [imagePart, documentPart],
      userAfterTool: false,
      thinking: 'part',
      counts: 'with-finish',
      errors: bareError,
    }),
    lacks: { refusal: NO_REFUSALS, filter: NO_FILTER, cache: OWN_CACHE },
  },
  {
    provider: 'deepseek',
    model: 'deepseek-flash',
    base: '/v1',
    dialect: openaiChat({
      // https://api-docs.deepseek.com/api/create-chat-completion
      fields: {
        ...deepseekFields,
        response_format: jsonObjectFormat.optional(),
        thinking: z.strictObject({ type: z.enum(['enabled', 'disabled']) }).optional(),
        reasoning_effort: efforts('low', 'high', 'max'),
      },
      assistant: { reasoning_content: z.string().optional() },
      parts: [imagePart],
      thinking: 'reasoning_content',
      usage: ['reasoning'],
      moreStops: ['content-filter'],
    }),
    lacks: { file: NO_FILES, structured: JSON_ONLY, refusal: NO_REFUSALS, cache: OWN_CACHE },
  },
  {
    provider: 'xai',
    model: 'grok-4.3',
    base: '/v1',
    dialect: openaiChat({
      // https://docs.x.ai/docs/api-reference#chat-completions
      fields: { ...format, reasoning_effort: efforts('none', 'low', 'medium', 'high') },
      parts: [imagePart],
      thinking: 'reasoning_content',
      usage: ['cacheRead', 'reasoning'],
      moreStops: ['refusal'],
    }),
    lacks: {
      file: NO_FILES,
      'stop-sequence': { why: 'models that think take none', outcome: 'refused' },
      filter: NO_FILTER,
      cache: OWN_CACHE,
    },
  },
  {
    provider: 'groq',
    model: 'qwen/qwen3.8-27b',
    base: '/openai/v1',
    dialect: openaiChat({
      // https://console.groq.com/docs/api-reference#chat-create
      fields: {
        ...groqFields,
        max_completion_tokens: z.int().positive().optional(),
        response_format: jsonObjectFormat.optional(),
        reasoning_effort: efforts('none', 'default'),
        reasoning_format: z.enum(['parsed', 'hidden', 'raw']).optional(),
      },
      parts: [imagePart],
      thinking: 'reasoning',
      counts: 'x_groq',
    }),
    lacks: {
      file: NO_FILES,
      structured: JSON_ONLY,
      refusal: NO_REFUSALS,
      filter: NO_FILTER,
      cache: OWN_CACHE,
    },
  },
  hosted('moonshot', {
    // https://platform.moonshot.ai/docs/api/chat
    fields: { ...unseeded, response_format: jsonObjectFormat.optional(), thinking: thinkingSwitch },
    assistant: { reasoning_content: z.string().optional() },
    asksFor: 'thinking',
  }),
  hosted(
    'zai',
    {
      // https://docs.z.ai/api-reference/llm/chat-completion
      fields: {
        ...deepseekFields,
        response_format: jsonObjectFormat.optional(),
        thinking: thinkingSwitch,
        tool_choice: z.literal('auto').optional(),
      },
      assistant: { reasoning_content: z.string().optional() },
      asksFor: 'thinking',
    },
    { 'forced-tool': { why: 'cannot make a model use a tool', outcome: 'refused' } },
  ),
  hosted(
    'alibaba',
    {
      // https://www.alibabacloud.com/help/en/model-studio/qwen-api-via-openai-chat-completions
      fields: {
        ...format,
        response_format: jsonObjectFormat.optional(),
        enable_thinking: z.boolean().optional(),
        tool_choice: z
          .union([
            z.enum(['auto', 'none']),
            z.strictObject({ type: z.literal('function'), function: z.strictObject({ name: z.string() }) }),
          ])
          .optional(),
      },
      asksFor: 'enable_thinking',
    },
    { 'any-tool': { why: 'cannot be made to use some tool', outcome: 'refused' } },
  ),
  hosted(
    'perplexity',
    {
      // https://docs.perplexity.ai/api-reference/chat-completions-post
      fields: {
        max_tokens: format.max_tokens,
        reasoning_effort: efforts('none', 'minimal', 'low', 'medium', 'high'),
        tools: z.never().optional(),
        tool_choice: z.never().optional(),
      },
      counts: 'with-finish',
    },
    {
      structured: undefined,
      tool: NO_TOOLS,
      parallel: NO_TOOLS,
      'forced-tool': NO_TOOLS,
      'no-tools': NO_TOOLS,
      'stop-sequence': { why: 'the service has none', outcome: 'refused' },
    },
    'sonar',
  ),
  hosted(
    'together',
    {
      // https://docs.together.ai/reference/chat-completions-1
      fields: { ...unparallel, reasoning_effort: efforts('low', 'medium', 'high') },
    },
    { structured: undefined },
  ),
  hosted(
    'fireworks',
    {
      // https://docs.fireworks.ai/api-reference/post-chatcompletions
      fields: { ...format, reasoning_effort: efforts('none', 'low', 'medium', 'high') },
      anyTool: 'any',
    },
    { structured: undefined },
  ),
  hosted(
    'cerebras',
    {
      // https://inference-docs.cerebras.ai/api-reference/chat-completions
      fields: {
        ...groqFields,
        max_completion_tokens: z.int().positive().optional(),
        reasoning_effort: efforts('low', 'medium', 'high'),
      },
      parts: [],
    },
    { structured: undefined, image: { why: 'takes no images', outcome: 'refused' } },
  ),
]

/** One of the services of the extension `chat-services`. */
function hosted(
  provider: string,
  rules: Partial<ChatVariant> & Pick<ChatVariant, 'fields'>,
  lacks: Subject['lacks'] = {},
  model = 'm',
): Subject {
  return {
    provider,
    extension: 'chat-services',
    model,
    base: '/v1',
    isNamed: model === 'm',
    dialect: openaiChat({ parts: [imagePart], thinking: 'reasoning_content', ...rules }),
    ...(provider !== 'moonshot' && { failsLike: 'moonshot' }),
    lacks: {
      file: NO_FILES,
      structured: JSON_ONLY,
      refusal: NO_REFUSALS,
      filter: NO_FILTER,
      cache: OWN_CACHE,
      ...lacks,
    },
  }
}
