import { InvalidOptionError } from '../../errors.ts'
import type { Completer } from '../../runtime/completer.ts'
import { type ModelType, noSuchModel } from './errors.ts'
import { createLanguageModel } from './language-model.ts'
import type { LanguageModel, SpecificationVersion } from './specification.ts'
import { VERSIONS, type VersionWords } from './versions.ts'

export type { LanguageModel, SpecificationVersion } from './specification.ts'

export interface AirlockProviderOptions<Version extends SpecificationVersion> {
  /**
   * The contract that the SDK's version knows: `v2` for version 5, `v3` for 6 and 7, `v4` for 7, with all it has.
   * Default: `v3`.
   */
  specificationVersion?: Version
  /**
   * Under which calls carry `providerOptions`, and answers `providerMetadata`. Of the options, `parallelToolCalls`,
   * `thinkingAllowed` and `reasoningEffort` are Airlock's, and `cache: true` makes a message a prompt-cache anchor;
   * the others are fields of the service's own request. Default: `airlock`.
   */
  name?: string
}

/** A provider for the AI SDK: `airlock('anthropic/claude-x')`, or in a registry. */
export interface AirlockProvider<Version extends SpecificationVersion> {
  (modelId: string): LanguageModel<Version>
  readonly specificationVersion: Version
  /** @param modelId `<provider>/<model id>`, or an alias from the settings. That there is such a model shows in its first call. */
  languageModel(modelId: string): LanguageModel<Version>
  /** @throws `AI_NoSuchModelError`, as do all that follow: Airlock reaches language models. */
  embeddingModel(modelId: string): never
  textEmbeddingModel(modelId: string): never
  imageModel(modelId: string): never
  transcriptionModel(modelId: string): never
  speechModel(modelId: string): never
  rerankingModel(modelId: string): never
}

/**
 * Makes Airlock's models models of the AI SDK. The SDK retries what fails before its first event, by its own
 * `maxRetries`; Airlock's own retries are off for its calls.
 * @throws {InvalidOptionError}
 */
export function createAirlockProvider<Version extends SpecificationVersion = 'v3'>(
  airlock: Completer,
  options: AirlockProviderOptions<Version> = {},
): AirlockProvider<Version> {
  const { specificationVersion = 'v3' as Version, name = 'airlock' } = options
  if (!Object.hasOwn(VERSIONS, specificationVersion)) {
    const known = 'it must be "v2", "v3" or "v4", in lower case'
    throw new InvalidOptionError(
      `Cannot make a provider of specificationVersion "${specificationVersion}": ${known}`,
    )
  }
  // The SDK takes what stands before the first dot of a model's provider for the provider's name.
  if (!/^[\w-]+$/.test(name)) {
    throw new InvalidOptionError(
      `Cannot name a provider "${name}": a name is made of letters, digits, "-" and "_"`,
    )
  }
  const words: VersionWords<Version> = VERSIONS[specificationVersion]
  const languageModel = (modelId: string) =>
    createLanguageModel(airlock, { specificationVersion, modelId, name, words })
  return Object.assign((modelId: string) => languageModel(modelId), {
    specificationVersion,
    languageModel,
    embeddingModel: none('embeddingModel'),
    textEmbeddingModel: none('embeddingModel'),
    imageModel: none('imageModel'),
    transcriptionModel: none('transcriptionModel'),
    speechModel: none('speechModel'),
    rerankingModel: none('rerankingModel'),
  })
}

function none(type: ModelType): (modelId: string) => never {
  return modelId => {
    throw noSuchModel(modelId, type)
  }
}
