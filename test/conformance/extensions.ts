import * as z from 'zod'
import { CHAT_SUBJECTS } from './chat-services.ts'
import { anthropicMessages } from './services/anthropic-messages.ts'
import { bedrockConverse } from './services/bedrock-converse.ts'
import { gemini } from './services/gemini.ts'
import { ollamaChat } from './services/ollama-chat.ts'
import { openaiChat, statusError } from './services/openai-chat.ts'
import { COMMON_FIELDS as format, imagePart } from './services/openai-chat-schema.ts'
import { openaiResponses } from './services/openai-responses.ts'
import { NO_FILES, NO_FILTER, NO_REFUSALS, OWN_CACHE, type Subject } from './subject.ts'

const efforts = (...names: string[]) => z.enum(names).optional()
const common = {
  fields: { ...format, reasoning_effort: efforts('none', 'minimal', 'low', 'medium', 'high') },
  thinking: 'reasoning_content',
  usage: ['cacheRead', 'reasoning'],
  moreStops: ['refusal', 'content-filter'],
} as const
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
  ...CHAT_SUBJECTS,
]
