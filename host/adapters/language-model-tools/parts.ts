/** Text. */
export class LanguageModelTextPart {
  value: string

  constructor(value: string) {
    this.value = value
  }
}

/** Text, as the first version of the interface calls it. */
export class LanguageModelChatResponseTextPart extends LanguageModelTextPart {}

/** A whole call: its arguments are a value, never a piece of JSON. */
export class LanguageModelToolCallPart {
  callId: string
  name: string
  input: object

  constructor(callId: string, name: string, input: object) {
    this.callId = callId
    this.name = name
    this.input = input
  }
}

/**
 * A call, as the first version of the interface calls it, with the arguments of its constructor in that order. Calls
 * of an answer are of this class, which reads both ways.
 */
export class LanguageModelChatResponseToolCallPart extends LanguageModelToolCallPart {
  // biome-ignore lint/suspicious/noExplicitAny: code written for this interface reads the fields of it.
  constructor(name: string, toolCallId: string, parameters: any) {
    super(toolCallId, name, parameters)
  }

  get toolCallId(): string {
    return this.callId
  }

  set toolCallId(id: string) {
    this.callId = id
  }

  // biome-ignore lint/suspicious/noExplicitAny: code written for this interface reads the fields of it.
  get parameters(): any {
    return this.input
  }

  // biome-ignore lint/suspicious/noExplicitAny: as above.
  set parameters(parameters: any) {
    this.input = parameters
  }
}

/** What came of a call: text, rendered prompts and data, one after the other. */
export class LanguageModelToolResultPart {
  callId: string
  content: unknown[]
  isError: boolean

  constructor(callId: string, content: unknown[], isError = false) {
    this.callId = callId
    this.content = content
    this.isError = isError
  }
}

/** What came of a call, as the first version of the interface has it: text. */
export class LanguageModelChatMessageToolResultPart {
  toolCallId: string
  content: string
  isError: boolean

  constructor(toolCallId: string, content: string, isError = false) {
    this.toolCallId = toolCallId
    this.content = content
    this.isError = isError
  }
}

/** Bytes of a media type. */
export class LanguageModelDataPart {
  data: Uint8Array
  mimeType: string

  constructor(data: Uint8Array, mimeType: string) {
    this.data = data
    this.mimeType = mimeType
  }

  static image(data: Uint8Array, mimeType: string): LanguageModelDataPart {
    return new LanguageModelDataPart(data, mimeType)
  }

  static json(value: unknown, mimeType = 'text/x-json'): LanguageModelDataPart {
    return LanguageModelDataPart.text(JSON.stringify(value), mimeType)
  }

  static text(value: string, mimeType = 'text/plain'): LanguageModelDataPart {
    return new LanguageModelDataPart(new TextEncoder().encode(value), mimeType)
  }
}

/** What the model thought. Hand it back in its place: `metadata` holds what only the service understands. */
export class LanguageModelThinkingPart {
  value: string | string[]
  id: string | undefined
  metadata: Readonly<Record<string, unknown>> | undefined

  constructor(value: string | string[], id?: string, metadata?: Readonly<Record<string, unknown>>) {
    this.value = value
    this.id = id
    this.metadata = metadata
  }
}

/** A prompt that `@vscode/prompt-tsx` rendered to JSON. */
export class LanguageModelPromptTsxPart {
  value: unknown

  constructor(value: unknown) {
    this.value = value
  }
}
