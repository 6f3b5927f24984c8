import { InvalidOptionError } from '../../errors.ts'
import type { Airlock } from '../../runtime/airlock.ts'
import type { Tool, ToolDescription, ToolTokenOptions } from '../../tools/tool.ts'
import { CancellationError, type CancellationToken, toSignal, toToken } from './cancellation.ts'
import { readContributions, type ToolContribution } from './contributions.ts'
import { Disposable } from './disposable.ts'
import { fromToolResult, type LanguageModelToolResult, toToolOutput } from './tool-results.ts'

export interface LanguageModelToolTokenOptions {
  readonly tokenBudget: number
  countTokens(text: string, token?: CancellationToken): PromiseLike<number>
}

/** How a tool is called. Either name of each field will do; the tool is given both. */
export interface LanguageModelToolInvocationOptions {
  /** Opaque: the conversation. */
  toolInvocationToken?: unknown
  // biome-ignore lint/suspicious/noExplicitAny: they have been checked against the tool's own schema.
  parameters?: any
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  input?: any
  tokenOptions?: LanguageModelToolTokenOptions
  tokenizationOptions?: LanguageModelToolTokenOptions
}

/** Text, or Markdown. */
export type ToolText = string | { readonly value: string }

export interface PreparedToolInvocation {
  invocationMessage?: ToolText
  /** Asks the user. */
  confirmationMessages?: { title: string; message: ToolText }
}

export interface LanguageModelTool
  extends Pick<
    ToolContribution,
    'displayName' | 'modelDescription' | 'inputSchema' | 'parametersSchema' | 'tags' | 'readOnly'
  > {
  invoke(
    options: LanguageModelToolInvocationOptions,
    token: CancellationToken,
  ): PromiseLike<LanguageModelToolResult | object | string> | LanguageModelToolResult | object | string
  prepareInvocation?(
    options: LanguageModelToolInvocationOptions,
    token: CancellationToken,
  ): PromiseLike<PreparedToolInvocation | undefined | null> | PreparedToolInvocation | undefined | null
}

/** A tool that can be called, by both names of each of its fields. Frozen. */
export interface LanguageModelToolDescription {
  readonly id: string
  readonly name: string
  readonly displayName: string | undefined
  readonly description: string
  readonly modelDescription: string
  readonly inputSchema: object | undefined
  readonly parametersSchema: object | undefined
  readonly tags: readonly string[]
}

export interface LanguageModelToolset extends globalThis.Disposable {
  register(id: string, tool: LanguageModelTool): Disposable
  readonly list: readonly LanguageModelToolDescription[]
  invoke(
    tool: string | { readonly name: string },
    options: LanguageModelToolInvocationOptions,
    token?: CancellationToken,
  ): Promise<LanguageModelToolResult>
  /** Resolves when the tools of extensions and servers have been listed once. */
  readonly ready: Promise<void>
}

/** @throws {InvalidOptionError} the contributions are not valid */
export function createToolset(
  { tools }: Pick<Airlock, 'tools'>,
  contributed: readonly ToolContribution[],
): LanguageModelToolset {
  const contributions = readContributions(contributed)
  /** What the registry listed last, which takes as long as its slowest source. */
  let listed: readonly LanguageModelToolDescription[] = []
  /** What was registered here is there at once. */
  const own = new Map<string, LanguageModelToolDescription>()
  let shown: readonly LanguageModelToolDescription[] = Object.freeze([])
  let latest = 0

  async function refresh(): Promise<void> {
    const asked = ++latest
    const { tools: known } = await tools.list()
    if (asked !== latest) return
    listed = known.map(toDescription)
    show()
  }

  function show() {
    const others = listed.filter(({ id }) => !own.has(id))
    shown = Object.freeze([...own.values(), ...others])
  }

  const watching = tools.onChange(() => void refresh().catch(() => {}))
  const ready = refresh()
  ready.catch(() => {})

  return {
    register(id, tool) {
      const definition = toTool(id, tool, contributions.get(id))
      const registration = tools.register(id, definition)
      const { displayName, description, inputSchema, readOnly = false, tags = [] } = definition
      own.set(
        id,
        toDescription({
          id,
          description,
          readOnly,
          tags,
          source: 'app',
          ...(displayName !== undefined && { displayName }),
          ...(inputSchema && { inputSchema: structuredClone(inputSchema) as Record<string, unknown> }),
        }),
      )
      show()
      return new Disposable(() => {
        registration.dispose()
        own.delete(id)
        listed = listed.filter(one => one.id !== id)
        show()
      })
    },
    get list() {
      return shown
    },
    async invoke(tool, options, token) {
      using linked = toSignal(token)
      linked.signal.throwIfAborted()
      const { toolInvocationToken } = options
      const tokens = options.tokenOptions ?? options.tokenizationOptions
      const result = await tools.invoke(
        typeof tool === 'string' ? tool : tool.name,
        {
          parameters: options.parameters ?? options.input,
          ...(toolInvocationToken !== undefined && { toolInvocationToken }),
          ...(tokens && { tokenOptions: toTokenOptions(tokens) }),
        },
        linked.signal,
      )
      // Skipped is what the user wanted: a result that says so.
      if (result.withheld === 'denied') throw new CancellationError(result.toString())
      return fromToolResult(result)
    },
    ready,
    [Symbol.dispose]: () => watching.dispose(),
  }
}

function toTool(id: string, tool: LanguageModelTool, contribution: ToolContribution | undefined): Tool {
  const facts: ToolContribution = { ...contribution, ...factsOf(tool) }
  const description = facts.modelDescription ?? facts.description
  if (description === undefined)
    throw new InvalidOptionError(
      `Cannot register the tool "${id}": nothing says what it does. Pass contributes.languageModelTools of your ` +
        `package.json as contributions, or give the tool a modelDescription.`,
    )
  const schema = facts.inputSchema ?? facts.parametersSchema
  const { displayName, readOnly, tags } = facts
  return {
    description,
    ...(displayName !== undefined && { displayName }),
    ...(schema && { inputSchema: { type: 'object', ...schema } }),
    ...(readOnly !== undefined && { readOnly }),
    ...(tags && { tags }),
    ...(tool.prepareInvocation && {
      async prepare({ parameters }, signal) {
        const asked = { parameters, input: parameters }
        const prepared = await tool.prepareInvocation?.(asked, toToken(signal))
        if (!prepared) return undefined
        const { invocationMessage, confirmationMessages } = prepared
        return {
          ...(invocationMessage !== undefined && { message: textOf(invocationMessage) }),
          ...(confirmationMessages && {
            confirmation: {
              title: confirmationMessages.title,
              message: textOf(confirmationMessages.message),
            },
          }),
        }
      },
    }),
    async invoke({ parameters, toolInvocationToken, tokenOptions }, signal) {
      const tokens = tokenOptions && fromTokenOptions(tokenOptions)
      const options = {
        parameters,
        input: parameters,
        toolInvocationToken,
        ...(tokens && { tokenOptions: tokens, tokenizationOptions: tokens }),
      }
      // What is no result goes on to the registry, which tells its author.
      return toToolOutput(await tool.invoke(options, toToken(signal))) as string
    },
  }
}

function factsOf({
  displayName,
  modelDescription,
  inputSchema,
  parametersSchema,
  tags,
  readOnly,
}: LanguageModelTool) {
  const facts = { displayName, modelDescription, inputSchema, parametersSchema, tags, readOnly }
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined))
}

function toDescription({ id, displayName, description, inputSchema, tags }: ToolDescription) {
  return Object.freeze({
    id,
    name: id,
    displayName,
    description,
    modelDescription: description,
    inputSchema,
    parametersSchema: inputSchema,
    tags,
  })
}

function toTokenOptions({ tokenBudget, countTokens }: LanguageModelToolTokenOptions): ToolTokenOptions {
  return {
    tokenBudget,
    countTokens: async (text, signal) => countTokens(text, signal && toToken(signal)),
  }
}

function fromTokenOptions({ tokenBudget, countTokens }: ToolTokenOptions): LanguageModelToolTokenOptions {
  return {
    tokenBudget,
    async countTokens(text, token) {
      using linked = toSignal(token)
      return await countTokens(text, linked.signal)
    },
  }
}

function textOf(text: ToolText): string {
  return typeof text === 'string' ? text : text.value
}
