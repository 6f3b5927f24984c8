import { join } from 'node:path'
import { repoRoot } from '../support/repo-root.ts'
import type { Expectation } from './expectation.ts'

/** Recorded bodies of real services; they lie beside the repository, where there are any. */
export const recordingsFolder = join(repoRoot, '../shared/fixtures')

/** Every stream of the OpenAI chat dialect among them. */
export const recordings: Record<string, Expectation> = {
  'deepseek.tool-call.chunks.txt': {
    text: '',
    thinking:
      'The user is asking for the weather in San Francisco. I need to use the weather tool to get this information. ' +
      'Let me invoke the weather tool with the location parameter set to "San Francisco".',
    toolUses: [
      { id: 'call_00_ioIn7yN9p1ZOMNpDLwd4MgAF', name: 'weather', input: '{"location": "San Francisco"}' },
    ],
    usage: {
      inputTokens: 339,
      outputTokens: 83,
      cacheReadInputTokens: 320,
      reasoningTokens: 39,
      totalTokens: 422,
    },
    id: 'cca85624-4056-401f-b220-d77601d1f70d',
    model: 'deepseek-reasoner',
    stop: 'tool-use',
  },
  'groq.tool-call.chunks.txt': {
    text: '',
    toolUses: [{ id: 'tk85n1k4m', name: 'weather', input: '{}' }],
    usage: { inputTokens: 210, outputTokens: 15, totalTokens: 225 },
    id: 'chatcmpl-b610d559-f156-4aca-8827-24b4fe6af54f',
    model: 'llama-3.3-70b-versatile',
    stop: 'tool-use',
  },
  'mistral.reasoning.chunks.txt': {
    text: '2 + 2 = 4',
    thinking: 'The user is asking for 2+2. This is basic arithmetic. 2+2=4.',
    usage: { inputTokens: 10, outputTokens: 46, totalTokens: 56 },
    id: 'a4e29c5b82f94d67b23e108a7c9df6e1',
    model: 'magistral-medium-2507',
    stop: 'end-turn',
  },
  'mistral.tool-call.chunks.txt': {
    text: '',
    toolUses: [{ id: 'gSIMJiOkT', name: 'weather', input: '{"location": "San Francisco"}' }],
    usage: { inputTokens: 124, outputTokens: 22, totalTokens: 146 },
    id: 'b3999b8c93e04e11bcbff7bcab829667',
    model: 'mistral-small-latest',
    stop: 'tool-use',
  },
  'ollama.openai-compat-reasoning.sse': {
    text: '',
    thinking: 'Okay',
    id: 'chatcmpl-774',
    model: 'qwen3:32b',
    stop: 'max-tokens',
  },
  'openai-chat.moderation-stream.0.sse': {
    text: 'Paris.',
    usage: {
      inputTokens: 13,
      outputTokens: 11,
      cacheReadInputTokens: 0,
      reasoningTokens: 0,
      totalTokens: 24,
    },
    id: 'chatcmpl-E4Rjs6IxaJVge9Ntk5keJsaeDy6vS',
    model: 'gpt-5-2025-08-07',
    stop: 'end-turn',
  },
  'openai-chat.text-real.0.sse': {
    text: '',
    toolUses: [{ id: 'call_ZR5UUuTt3pf61kjwAJIYdVMj', name: 'get_capital', input: '{"country":"UK"}' }],
    usage: {
      inputTokens: 53,
      outputTokens: 15,
      cacheReadInputTokens: 0,
      reasoningTokens: 0,
      totalTokens: 68,
    },
    id: 'chatcmpl-Dx0XpqH8w09uBXwq1zFGYdETjtnEl',
    model: 'gpt-4o-mini-2024-07-18',
    stop: 'tool-use',
  },
  'openai-chat.text-real.1.sse': {
    text: 'The capital of the UK is London.',
    usage: { inputTokens: 78, outputTokens: 9, cacheReadInputTokens: 0, reasoningTokens: 0, totalTokens: 87 },
    id: 'chatcmpl-Dx0Xq5Xx9rHB2ehcHZCRDsnuymUXc',
    model: 'gpt-4o-mini-2024-07-18',
    stop: 'end-turn',
  },
  // No chunk of this one has a finish reason: `[DONE]` alone says that the answer is complete.
  'openai-compat.llm-tools-variant-a.0.sse': {
    text: '',
    toolUses: [{ id: '0', name: 'llm_version', input: '{}' }],
    usage: {
      inputTokens: 57,
      outputTokens: 17,
      cacheReadInputTokens: 0,
      reasoningTokens: 0,
      totalTokens: 74,
    },
    id: 'gen-1753242299-QZRAt5HJHd1ptY8sdS0s',
    model: 'moonshotai/kimi-k2',
    stop: 'tool-use',
  },
  'openai-compat.llm-tools-variant-a.1.sse': {
    text: 'The current version of *llm* is **0.fixed-version**.',
    usage: {
      inputTokens: 107,
      outputTokens: 15,
      cacheReadInputTokens: 0,
      reasoningTokens: 0,
      totalTokens: 122,
    },
    id: 'gen-1753242300-j60LWi6MpN4lMZw1zTHK',
    model: 'moonshotai/kimi-k2',
    stop: 'end-turn',
  },
  'openai-compat.llm-tools-variant-c.0.sse': {
    text: '',
    toolUses: [{ id: 'llm_version:0', name: 'llm_version', input: '{}' }],
    usage: {
      inputTokens: 56,
      outputTokens: 12,
      cacheReadInputTokens: 0,
      reasoningTokens: 0,
      totalTokens: 68,
    },
    id: 'gen-1753248108-FGOxpkEzFEwhNKSPpI4a',
    model: 'moonshotai/kimi-k2',
    stop: 'tool-use',
  },
  'openai-compat.llm-tools-variant-c.1.sse': {
    text: 'The installed version of LLM on this system is 0.fixed-version.',
    usage: {
      inputTokens: 105,
      outputTokens: 16,
      cacheReadInputTokens: 0,
      reasoningTokens: 0,
      totalTokens: 121,
    },
    id: 'gen-1753248104-uf1xqJDBrAUCJ4g8apK8',
    model: 'moonshotai/kimi-k2',
    stop: 'end-turn',
  },
  'openrouter.stream-with-reasoning.0.sse': {
    text:
      'I’m ChatGPT, a large-language-model assistant created by OpenAI. I generate text responses and can help answer ' +
      'questions, explain concepts, brainstorm ideas, draft or edit writing, and more. While I strive to be accurate ' +
      'and helpful, I don’t have personal feelings or consciousness, and my knowledge is limited to the information I ' +
      'was trained on (most of it up to late 2023). If there’s something specific you’d like help with, just let me know!',
    // 2 kB of ciphertext: what matters is that it comes out as it went in.
    reasoningDetails: 'as recorded',
    usage: {
      inputTokens: 9,
      outputTokens: 104,
      cacheReadInputTokens: 0,
      reasoningTokens: 0,
      totalTokens: 113,
    },
    id: 'gen-1762141316-q3fB64DDMstJO0ZakdSK',
    model: 'openai/o3',
    stop: 'end-turn',
  },
  'openrouter.web-search-annotations.0.sse': {
    text: "The URL for Pydantic AI's GitHub repository is:  \n\nhttps://github.com/pydantic/pydantic-ai",
    citations: [
      'https://github.com/pydantic/pydantic-ai',
      'https://pydantic.dev/pydantic-ai',
      'https://github.com/pydantic/pydantic-ai/releases/tag/v2.0.0',
      'https://pydantic.dev/docs/ai/overview/',
      'https://github.com/pydantic/pydantic-ai/tree/refs/tags/v1.44.0',
    ],
    usage: {
      inputTokens: 2317,
      outputTokens: 53,
      cacheCreationInputTokens: 0,
      cacheReadInputTokens: 0,
      reasoningTokens: 0,
      totalTokens: 2370,
    },
    id: 'gen-1786680764-gY2YTdjLLLQA6Cd1Wa6J',
    model: 'deepseek/deepseek-chat',
    stop: 'end-turn',
  },
  // The body of an answer whose status was not recorded: here it comes with 200, as an event stream.
  'openrouter.errors-raised.0.json': {
    text: '',
    error: {
      kind: 'rate-limited',
      code: 'rate-limited',
      message: /Provider returned error|rate-limited upstream/,
    },
  },
}
