import type * as wit from 'airlock:llm/llm-provider@0.1.0'
import type { Sent } from '../contract/wit.ts'
import type { ModelCapabilities, ModelDefinition, ModelPricing, ToolInputFormat } from '../models.ts'
import { count, list, object, oneOf, optionalCount, optionalText, text, wrong } from './wit-value.ts'

const TOOL_INPUT_FORMATS: readonly ToolInputFormat[] = ['json-schema', 'json-schema-subset', 'simplified']

/** An author's models with everything filled in that may be left out. @throws {TypeError} naming the field. */
export function toWitModels(models: Iterable<ModelDefinition>): Sent<wit.ModelInfo>[] {
  return list(models, 'the result of models()').map((model, index) =>
    toWitModel(object(model, `models()[${index}]`), `models()[${index}]`),
  )
}

function toWitModel(model: ModelDefinition, path: string): Sent<wit.ModelInfo> {
  const id = text(model.id, `${path}.id`)
  return {
    id,
    name: optionalText(model.name, `${path}.name`) ?? id,
    family: optionalText(model.family, `${path}.family`),
    maxTokenCount: count(model.maxTokenCount, `${path}.maxTokenCount`),
    maxOutputTokens: optionalCount(model.maxOutputTokens, `${path}.maxOutputTokens`),
    capabilities: toWitCapabilities(model.capabilities ?? {}, `${path}.capabilities`),
    pricing: model.pricing && toWitPricing(model.pricing, `${path}.pricing`),
    isDefault: model.isDefault === true,
    isDefaultFast: model.isDefaultFast === true,
  }
}

function toWitCapabilities(
  capabilities: Partial<ModelCapabilities>,
  path: string,
): Sent<wit.ModelCapabilities> {
  const tools = capabilities.supportsTools === true
  const { toolInputFormat = 'json-schema' } = capabilities
  return {
    supportsImages: capabilities.supportsImages === true,
    supportsFiles: capabilities.supportsFiles === true,
    supportsTools: tools,
    supportsToolChoiceAuto: capabilities.supportsToolChoiceAuto ?? tools,
    supportsToolChoiceAny: capabilities.supportsToolChoiceAny ?? tools,
    supportsToolChoiceNone: capabilities.supportsToolChoiceNone ?? tools,
    supportsToolChoiceTool: capabilities.supportsToolChoiceTool ?? tools,
    supportsParallelToolCalls: capabilities.supportsParallelToolCalls ?? tools,
    supportsThinking: capabilities.supportsThinking === true,
    supportsStructuredOutput: capabilities.supportsStructuredOutput === true,
    supportsStreaming: capabilities.supportsStreaming !== false,
    toolInputFormat: oneOf(toolInputFormat, TOOL_INPUT_FORMATS, `${path}.toolInputFormat`),
    maxTools: optionalCount(capabilities.maxTools, `${path}.maxTools`, 0xffffffff),
  }
}

function toWitPricing(pricing: ModelPricing, path: string): Sent<wit.ModelPricing> {
  const price = (name: keyof ModelPricing) => {
    const value = pricing[name]
    if (typeof value !== 'number') throw wrong(`${path}.${name}`, 'a number', value)
    return value
  }
  return {
    input: price('input'),
    output: price('output'),
    cacheRead: pricing.cacheRead === undefined ? undefined : price('cacheRead'),
    cacheWrite: pricing.cacheWrite === undefined ? undefined : price('cacheWrite'),
  }
}
