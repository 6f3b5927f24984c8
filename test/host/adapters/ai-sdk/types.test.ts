import type {
  LanguageModelV2,
  LanguageModelV3,
  LanguageModelV4,
  ProviderV2,
  ProviderV3,
  ProviderV4,
} from '@ai-sdk/provider'
import type * as ai7 from 'ai'
import type * as ai5 from 'ai-v5'
import type * as ai6 from 'ai-v6'
import { expectTypeOf, test } from 'vitest'
import {
  type AirlockProvider,
  createAirlockProvider,
  type LanguageModel,
} from '../../../../host/adapters/ai-sdk/index.ts'
import { answering } from './answering.ts'

// Checked by the compiler: what runs says nothing.
type Model<Sdk extends { generateText(options: never): unknown }> = Parameters<
  Sdk['generateText']
>[0]['model']

test('a model is one of the contract of its version', () => {
  expectTypeOf<LanguageModel<'v2'>>().toExtend<LanguageModelV2>()
  expectTypeOf<LanguageModel<'v3'>>().toExtend<LanguageModelV3>()
  expectTypeOf<LanguageModel<'v4'>>().toExtend<LanguageModelV4>()
  expectTypeOf<LanguageModel<'v4'>>().not.toExtend<LanguageModelV2>()
})

test('what a version of the SDK hands over is taken', () => {
  expectTypeOf<Parameters<LanguageModelV2['doStream']>[0]>().toExtend<CallOf<'v2'>>()
  expectTypeOf<Parameters<LanguageModelV3['doStream']>[0]>().toExtend<CallOf<'v3'>>()
  expectTypeOf<Parameters<LanguageModelV4['doStream']>[0]>().toExtend<CallOf<'v4'>>()
})
type CallOf<Version extends 'v2' | 'v3' | 'v4'> = Parameters<LanguageModel<Version>['doStream']>[0]

test('a model goes where each version of the SDK takes one', () => {
  expectTypeOf<LanguageModel<'v2'>>().toExtend<Model<typeof ai5>>()
  expectTypeOf<LanguageModel<'v2'>>().toExtend<Model<typeof ai6>>()
  expectTypeOf<LanguageModel<'v3'>>().toExtend<Model<typeof ai6>>()
  expectTypeOf<LanguageModel<'v2'>>().toExtend<Model<typeof ai7>>()
  expectTypeOf<LanguageModel<'v3'>>().toExtend<Model<typeof ai7>>()
  expectTypeOf<LanguageModel<'v4'>>().toExtend<Model<typeof ai7>>()
  expectTypeOf<LanguageModel<'v4'>>().not.toExtend<Model<typeof ai6>>()
  expectTypeOf<LanguageModel<'v3'>>().not.toExtend<Model<typeof ai5>>()
})

test('a provider goes into each version’s registry', () => {
  expectTypeOf<AirlockProvider<'v2'>>().toExtend<ProviderV2>()
  expectTypeOf<AirlockProvider<'v3'>>().toExtend<ProviderV3>()
  expectTypeOf<AirlockProvider<'v4'>>().toExtend<ProviderV4>()
  expectTypeOf<AirlockProvider<'v2'>>().toExtend<RegistryOf<typeof ai5>>()
  expectTypeOf<AirlockProvider<'v3'>>().toExtend<RegistryOf<typeof ai6>>()
  expectTypeOf<AirlockProvider<'v4'>>().toExtend<RegistryOf<typeof ai7>>()
})
type RegistryOf<Sdk> = Sdk extends { createProviderRegistry(providers: infer Providers): unknown }
  ? Providers[keyof Providers]
  : never

test('the version that is asked for is the type', () => {
  const airlock = answering([])
  expectTypeOf(createAirlockProvider(airlock)).toEqualTypeOf<AirlockProvider<'v3'>>()
  expectTypeOf(createAirlockProvider(airlock, { specificationVersion: 'v4' })).toEqualTypeOf<
    AirlockProvider<'v4'>
  >()
  // @ts-expect-error There is no such version.
  expectTypeOf(createAirlockProvider).toBeCallableWith(airlock, { specificationVersion: 'v1' })
})
