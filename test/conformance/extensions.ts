import * as z from 'zod'
import { anthropicMessages } from './services/anthropic-messages.ts'
import { bedrockConverse } from './services/bedrock-converse.ts'
import { gemini } from './services/gemini.ts'
import { ollamaChat } from './services/ollama-chat.ts'
import { bareError, openaiChat, statusError } from './services/openai-chat.ts'
import { COMMON_FIELDS, documentPart, imagePart, jsonObjectFormat } from './services/openai-chat-schema.ts'
import { openaiResponses } from './services/openai-responses.ts'
import type { Dialect } from './services/service.ts'

/** An extension, the service that it talks to, and what that service does not have. */
export interface Subject {
  /** As in a request: `<provider>/<model>`. */
  provider: string
  /** Default: the provider's name. */
  extension?: string
  model: string
  dialect: Dialect
  /** Behind the server's URL, in the settings. Default: nothing. */
  base?: string
  /** The user names the model in the settings, since no list does. */
  isNamed?: boolean
  /** What else the service answers, by path; anything that is no completion and not here gets a 404. */
  others?: (serverUrl: string) => Readonly<Record<string, unknown>>
  /** Default: a key. */
  credential?: (serverUrl: string) => string
  /** What a header must hold. Default: the key. */
  signedBy?: RegExp
  /**
   * By behaviour: what the service has no such thing of, and what becomes of a request for it. `refused`: nothing is
   * sent, and the error is `unsupported`. `in-words`: the model is told. `ignored`: the request goes out without.
   */
  lacks: Readonly<Partial<Record<string, { why: string; outcome: 'refused' | 'in-words' | 'ignored' }>>>
}

const efforts = (...names: string[]) => z.enum(names).optional()
const format = COMMON_FIELDS
const NO_REFUSALS = { why: 'no word for a refusal', outcome: 'ignored' } as const
const NO_FILTER = { why: 'no word for a filter', outcome: 'ignored' } as const
const OWN_CACHE = { why: 'the service caches by itself', outcome: 'ignored' } as const
const NO_FILES = { why: 'the API takes no documents', outcome: 'refused' } as const
const JSON_ONLY = { why: 'holds an answer to JSON and to no schema', outcome: 'in-words' } as const

const common = {
  fields: { ...format, reasoning_effort: efforts('none', 'minimal', 'low', 'medium', 'high') },
  thinking: 'reasoning_content',
  usage: ['cacheRead', 'reasoning'],
  moreStops: ['refusal', 'content-filter'],
} as const
const { seed: _, stream_options: _options, ...mistralFields } = format
const { seed: _seed, parallel_tool_calls: _parallel, ...deepseekFields } = format
const { max_tokens: _most, ...groqFields } = format

export const SUBJECTS: readonly Subject[] = [
  {
    provider: 'anthropic',
    model: 'claude-opus-5',
    dialect: anthropicMessages,
    lacks: { filter: NO_FILTER },
  },
  {
    provider: 'openai',
    model: 'gpt-6-luna',
    dialect: openaiResponses,
    base: '/v1',
    lacks: { 'stop-sequence': { why: 'the Responses API has none', outcome: 'refused' } },
  },
  {
    provider: 'azure-openai',
    model: 'gpt-6-luna',
    dialect: openaiResponses,
    isNamed: true,
    lacks: { 'stop-sequence': { why: 'the Responses API has none', outcome: 'refused' } },
  },
  {
    provider: 'google-ai',
    model: 'gemini-3.8-flash',
    dialect: gemini,
    base: '/v1beta',
    lacks: { refusal: NO_REFUSALS, cache: OWN_CACHE },
  },
  {
    provider: 'openrouter',
    model: 'acme/m',
    base: '/api/v1',
    isNamed: true,
    others: () => ({
      '/api/v1/models': { data: [{ id: 'acme/m', name: 'M', context_length: 100_000 }] },
    }),
    dialect: openaiChat({
      ...common,
      // https://openrouter.ai/docs/api/reference/overview
      fields: {
        ...format,
        reasoning: z
          .strictObject({ effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh']) })
          .optional(),
        usage: z.strictObject({ include: z.literal(true) }).optional(),
      },
      assistant: {
        reasoning: z.string().optional(),
        reasoning_details: z
          .array(z.looseObject({ type: z.string().startsWith('reasoning.') }))
          .min(1)
          .optional(),
      },
      thinking: 'reasoning_details',
      asksFor: 'reasoning',
      cacheControl: true,
      errors: statusError,
    }),
    lacks: {},
  },
  {
    provider: 'github-copilot',
    model: 'm',
    dialect: openaiChat({ ...common, parts: [imagePart], thinking: 'reasoning_content' }),
    others: serverUrl => ({
      '/copilot_internal/v2/token': {
        token: 'tid=1;exp=3',
        expires_at: Math.floor(Date.now() / 1000) + 3_600,
        endpoints: { api: serverUrl },
      },
      '/models': {
        data: [
          {
            id: 'm',
            model_picker_enabled: true,
            capabilities: {
              type: 'chat',
              limits: { max_context_window_tokens: 100_000 },
              supports: {
                tool_calls: true,
                parallel_tool_calls: true,
                vision: true,
                structured_outputs: true,
              },
            },
          },
        ],
      },
    }),
    credential: serverUrl =>
      JSON.stringify({
        githubToken: 'gho_0123456789abcdef',
        accessToken: 'tid=1;exp=2',
        expiresAt: Date.now() + 3_600_000,
        public: { apiUrl: serverUrl },
      }),
    signedBy: /^Bearer tid=1;exp=\d$/,
    lacks: { file: NO_FILES, cache: OWN_CACHE },
  },
  {
    provider: 'ollama',
    model: 'qwen3',
    dialect: ollamaChat,
    others: () => ({ '/api/tags': { models: [{ name: 'qwen3' }] } }),
    lacks: {
      file: NO_FILES,
      'forced-tool': { why: 'cannot make a model use a tool', outcome: 'refused' },
      refusal: NO_REFUSALS,
      filter: NO_FILTER,
      cache: OWN_CACHE,
    },
  },
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
  {
    provider: 'amazon-bedrock',
    model: 'global.anthropic.claude-sonnet-4-5-20250929-v1:0',
    dialect: bedrockConverse,
    credential: () =>
      JSON.stringify({ accessKeyId: 'AKIA0123', secretAccessKey: 'secret-0123456789', region: 'us-east-1' }),
    signedBy: /^AWS4-HMAC-SHA256 Credential=AKIA0123/,
    lacks: {
      'no-tools': { why: 'no way to keep a model from its tools', outcome: 'in-words' },
      refusal: NO_REFUSALS,
    },
  },
  {
    provider: 'openai-compatible',
    model: 'm',
    base: '/v1',
    isNamed: true,
    dialect: openaiChat(common),
    lacks: { cache: { why: 'the dialect has no anchors', outcome: 'ignored' } },
  },
]
