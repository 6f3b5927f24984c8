import * as ai7 from 'ai'
import * as ai5 from 'ai-v5'
import * as ai6 from 'ai-v6'
import type { SpecificationVersion } from '../../../../host/adapters/ai-sdk/specification.ts'

/** What tests read of a part of `fullStream`, whichever version wrote it. */
export interface SeenPart {
  type: string
  id?: string
  text?: string
  toolCallId?: string
  toolName?: string
  input?: unknown
  output?: unknown
  error?: unknown
  finishReason?: string
  rawValue?: unknown
  invalid?: boolean
  [field: string]: unknown
}

export interface SeenUsage {
  inputTokens?: number
  outputTokens?: number
  totalTokens?: number
  reasoningTokens?: number
  cachedInputTokens?: number
  [field: string]: unknown
}

export interface SeenStep {
  text: string
  reasoningText?: string
  reasoning: { text: string }[]
  content: SeenPart[]
  toolCalls: SeenPart[]
  toolResults: SeenPart[]
  files: { mediaType: string; base64: string }[]
  sources: SeenPart[]
  finishReason: string
  usage: SeenUsage
  warnings?: Record<string, unknown>[]
  providerMetadata?: Record<string, Record<string, unknown>>
  response: { id: string; modelId: string; timestamp: Date; messages: unknown[] }
}

export interface SeenResult extends SeenStep {
  steps: SeenStep[]
  /** Of `Output`. */
  output?: unknown
  experimental_output?: unknown
}

type Promised<Result> = { [Field in keyof Result]: PromiseLike<Result[Field]> }

export interface StreamedOutput {
  /** Of `Output`. */
  partialOutputStream?: AsyncIterable<unknown>
  experimental_partialOutputStream?: AsyncIterable<unknown>
}

export interface StreamResult
  extends Promised<Omit<SeenResult, 'output' | 'experimental_output'>>,
    StreamedOutput {
  fullStream: AsyncIterable<SeenPart>
  textStream: AsyncIterable<string>
}

type Ask = Record<string, unknown>
interface Marked {
  isInstance(error: unknown): boolean
}

/** What the versions have in common, as far as tests use it. */
export interface Sdk {
  generateText(options: Ask): Promise<SeenResult>
  streamText(options: Ask): StreamResult
  generateObject(options: Ask): Promise<{ object: unknown; finishReason: string }>
  streamObject(options: Ask): { object: Promise<unknown>; partialObjectStream: AsyncIterable<unknown> }
  createProviderRegistry(
    providers: Record<string, unknown>,
    options?: Ask,
  ): Record<'languageModel' | 'imageModel', (id: string) => unknown> &
    Partial<Record<'embeddingModel' | 'textEmbeddingModel', (id: string) => unknown>>
  Output: { object(options: Ask): unknown; json?(): unknown }
  stepCountIs(count: number): unknown
  tool(definition: Ask): unknown
  jsonSchema(schema: Ask): unknown
  APICallError: Marked
  NoSuchModelError: Marked
  RetryError: Marked
  UnsupportedFunctionalityError: Marked
}

export interface Setting {
  /** As in the name of a test. */
  title: string
  major: 5 | 6 | 7
  sdk: Sdk
  specificationVersion: SpecificationVersion
}

// Their types know one version each. What they do is what is tested here, and their types are in types.test.ts.
const sdks = { 5: ai5, 6: ai6, 7: ai7 } as unknown as Record<Setting['major'], Sdk>

const setting = (major: Setting['major'], specificationVersion: SpecificationVersion): Setting => ({
  title: `ai ${major}, ${specificationVersion}`,
  major,
  sdk: sdks[major],
  specificationVersion,
})

/** Every version of the SDK, with every contract that it takes. */
export const SETTINGS: readonly Setting[] = [
  setting(7, 'v4'),
  setting(7, 'v3'),
  setting(7, 'v2'),
  setting(6, 'v3'),
  setting(6, 'v2'),
  setting(5, 'v2'),
]

// The SDK prints each warning to the console otherwise.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })
