import type { ImageData, TokenUsage } from '../../contract/events.ts'
import { type Ending, toFinishReasonV2, toFinishReasonV3, toFinishReasonV4 } from './finish-reason.ts'
import { sniffMediaType } from './media-type.ts'
import type {
  BareFile,
  Differences,
  ProviderMetadata,
  SpecificationVersion,
  TaggedFile,
} from './specification.ts'
import { toFlatUsage, toNestedUsage } from './usage.ts'
import { type Concern, toWarningV2, toWarningV3 } from './warnings.ts'

/** How one version says what the versions say differently. */
export interface VersionWords<Version extends SpecificationVersion> {
  finishReason(ending: Ending): Differences[Version]['finishReason']
  usage(usage: TokenUsage | undefined): Differences[Version]['usage']
  warning(concern: Concern): Differences[Version]['warning']
  /** Undefined where the version has no word for an image that is a URL. */
  file(image: ImageData): Differences[Version]['file'] | undefined
  /** Undefined where the version has no part of which only the provider knows the meaning. */
  custom(kind: `${string}.${string}`, metadata: ProviderMetadata): Differences[Version]['custom'] | undefined
}

const v2: VersionWords<'v2'> = {
  finishReason: toFinishReasonV2,
  usage: toFlatUsage,
  warning: toWarningV2,
  file: toBareFile,
  custom: () => undefined,
}

const v3: VersionWords<'v3'> = {
  finishReason: toFinishReasonV3,
  usage: toNestedUsage,
  warning: toWarningV3,
  file: toBareFile,
  custom: () => undefined,
}

const v4: VersionWords<'v4'> = {
  finishReason: toFinishReasonV4,
  usage: toNestedUsage,
  warning: toWarningV3,
  file: toTaggedFile,
  custom: (kind, providerMetadata) => ({ type: 'custom', kind, providerMetadata }),
}

export const VERSIONS: { readonly [Version in SpecificationVersion]: VersionWords<Version> } = { v2, v3, v4 }

function toBareFile(image: ImageData): BareFile | undefined {
  if (isUrl(image)) return undefined
  return { type: 'file', mediaType: mediaTypeOf(image), data: image.source }
}

function toTaggedFile(image: ImageData): TaggedFile {
  if (isUrl(image)) {
    const url = new URL(image.source)
    return { type: 'file', mediaType: image.mediaType ?? 'image/*', data: { type: 'url', url } }
  }
  return { type: 'file', mediaType: mediaTypeOf(image), data: { type: 'data', data: image.source } }
}

function isUrl({ source }: ImageData): boolean {
  return /^https?:\/\//i.test(source) && URL.canParse(source)
}

function mediaTypeOf({ mediaType, source }: ImageData): string {
  return mediaType ?? sniffMediaType('image', source) ?? 'image/png'
}
