import type { ModelCapabilities, ModelPricing } from '../../models.ts'
import type { ChatQuirks } from './quirks.ts'

/** A service that speaks this dialect, as data: what `defineChatProvider` makes a provider of. */
export interface ChatService {
  /** As in extension.json. */
  id: string
  name: string
  icon: string
  /** The service's base URL. Absent: the user names a server of their own. */
  apiUrl?: string
  /** For the message that asks for a server's URL, e.g. `http://127.0.0.1:8080/v1`. */
  exampleUrl?: string
  /** Environment variables that may hold the key; the first that is set counts. */
  keyVariables: readonly string[]
  /** Default: true. False for servers of one's own, of which most want none. */
  keyRequired?: boolean
  /** Where a key comes from, and what else a person should know. Markdown for the settings page. */
  about?: string
  /** What the beginning of a key looks like, e.g. `gsk_...`. */
  keyPlaceholder?: string
  /** What the service lists its models under. Default: `models`; `none` where it lists none. */
  modelList?: 'models' | 'language-models' | 'none'
  /** What is known of the service's models without asking it. Default: nothing. */
  models?: readonly KnownChatModel[]
  /** Ids in the list that are no models to chat with, where the service does not say so itself. */
  otherUses?: readonly string[]
  /** What its models can do where neither the service nor the table says. Default: everything. */
  capabilities?: Partial<ModelCapabilities>
  /** Where the service differs; a model's own differences come on top. */
  quirks?: Partial<ChatQuirks>
  /** Without a server or a key it offers no models, in place of an error: one of many in an extension. Default: false. */
  isPreset?: boolean
}

/** What is known of a model without asking the service. */
export interface KnownChatModel {
  id: string
  /** Other ids that the service takes for it. */
  aliases?: readonly string[]
  name: string
  family?: string
  /** Tokens. */
  maxTokenCount: number
  /** Tokens. */
  maxOutputTokens?: number
  pricing?: ModelPricing
  /** What differs from the service's other models. */
  capabilities?: Partial<ModelCapabilities>
  quirks?: Partial<ChatQuirks>
  isDefault?: boolean
  isDefaultFast?: boolean
}

export function findKnownModel(service: ChatService, id: string): KnownChatModel | undefined {
  return service.models?.find(model => model.id === id || model.aliases?.includes(id))
}

/** How the dialect is to treat a model. What its capabilities deny is denied in requests too. */
export function quirksOf(service: ChatService, model: string): Partial<ChatQuirks> {
  const known = findKnownModel(service, model)
  const can = { ...service.capabilities, ...known?.capabilities }
  return {
    ...service.quirks,
    ...(can.supportsImages === false && { images: false }),
    ...(can.supportsFiles === false && { files: false }),
    ...known?.quirks,
    refused: {
      ...(can.supportsTools === false && { tools: `the model "${model}" takes no tools` }),
      ...service.quirks?.refused,
      ...known?.quirks?.refused,
    },
  }
}
