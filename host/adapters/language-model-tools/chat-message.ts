import {
  type LanguageModelChatMessageToolResultPart,
  type LanguageModelDataPart,
  LanguageModelTextPart,
  type LanguageModelThinkingPart,
  type LanguageModelToolCallPart,
  type LanguageModelToolResultPart,
} from './parts.ts'

export const LanguageModelChatMessageRole = { User: 1, Assistant: 2, System: 3 } as const
export type LanguageModelChatMessageRole =
  (typeof LanguageModelChatMessageRole)[keyof typeof LanguageModelChatMessageRole]

export type LanguageModelInputPart =
  | LanguageModelTextPart
  | LanguageModelToolCallPart
  | LanguageModelToolResultPart
  | LanguageModelChatMessageToolResultPart
  | LanguageModelDataPart
  | LanguageModelThinkingPart

/** A message of a conversation. A plain object of the same fields will do in its place. */
export class LanguageModelChatMessage {
  role: LanguageModelChatMessageRole
  name: string | undefined
  #content: LanguageModelInputPart[] = []

  constructor(
    role: LanguageModelChatMessageRole,
    content: string | (string | LanguageModelInputPart)[],
    name?: string,
  ) {
    this.role = role
    this.name = name
    this.content = content
  }

  static User(
    content: string | (string | LanguageModelInputPart)[],
    name?: string,
  ): LanguageModelChatMessage {
    return new LanguageModelChatMessage(LanguageModelChatMessageRole.User, content, name)
  }

  static Assistant(
    content: string | (string | LanguageModelInputPart)[],
    name?: string,
  ): LanguageModelChatMessage {
    return new LanguageModelChatMessage(LanguageModelChatMessageRole.Assistant, content, name)
  }

  static System(content: string): LanguageModelChatMessage {
    return new LanguageModelChatMessage(LanguageModelChatMessageRole.System, content)
  }

  get content(): LanguageModelInputPart[] {
    return this.#content
  }

  set content(content: string | (string | LanguageModelInputPart)[]) {
    const parts = typeof content === 'string' ? [content] : content
    this.#content = parts.map(part => (typeof part === 'string' ? new LanguageModelTextPart(part) : part))
  }

  /** The same parts, as the first version of the interface has them: text is a string. */
  get content2(): (string | LanguageModelInputPart)[] {
    return this.#content.map(part => (part instanceof LanguageModelTextPart ? part.value : part))
  }

  set content2(content: (string | LanguageModelInputPart)[]) {
    this.content = content
  }
}
