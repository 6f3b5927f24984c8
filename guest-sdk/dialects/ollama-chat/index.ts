export { createOllamaDecoder, type OllamaDecoder, type OllamaDecoderOptions } from './decode.ts'
export { encodeOllamaRequest } from './encode.ts'
export { type OllamaModelDetails, readOllamaModel, readOllamaTags } from './models.ts'
export type { OllamaOptions, OllamaRules } from './rules.ts'
