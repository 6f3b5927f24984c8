import { nearestNames } from '../contract/nearest-names.ts'
import { raced } from '../contract/raced.ts'
import { createRegistration, type Registration } from '../contract/registration.ts'
import { InvalidOptionError, UnknownNameError } from '../errors.ts'
import type { ToolCall } from './call-tool.ts'
import { checkTool, type RegisteredTool } from './definition.ts'
import { createSourceListing, type SourceListing } from './source-listing.ts'
import type { Tool, ToolDescription, ToolOrigin } from './tool.ts'
import type { ToolResult } from './tool-result.ts'
import type { ToolSource } from './tool-source.ts'

/** Which tools. All that is given must fit. */
export interface ToolFilter {
  id?: string
  tag?: string
  /** `app`, `extension:<id>`, `mcp:<name>`; or all of a kind: `extension`, `mcp`. */
  source?: ToolOrigin | 'extension' | 'mcp'
}

export interface ToolList {
  tools: ToolDescription[]
  /** What could not be listed, and tools that were left out. The others are there all the same. */
  failures: ToolFailure[]
}

export interface ToolFailure {
  source: ToolOrigin
  error: Error
}

export interface ToolRegistry {
  /**
   * Offers a tool of the program itself, until the registration is disposed.
   * @throws {InvalidOptionError} the definition is not valid, or the id is taken, naming by whom
   */
  register<Parameters>(id: string, tool: Tool<Parameters>): Registration
  /**
   * Offers the tools of an extension or an MCP server, until the registration is disposed, which closes the source.
   * @throws {InvalidOptionError} a source of that name is there
   */
  add(source: ToolSource): Registration
  /** One source's failure never hides the tools of the others. */
  list(filter?: ToolFilter, options?: { signal?: AbortSignal }): Promise<ToolList>
  /**
   * Checks the parameters, asks where the policy says so, and runs the tool. A denial is a result, with `withheld`.
   * Aborting `signal` rejects with its reason at once; the tool is told, and what it still returns is thrown away.
   * @throws {UnknownNameError} `unknown-tool`, with the nearest names
   * @throws {InvalidToolInputError} the parameters do not fit the schema
   * @throws {ToolError} the tool threw, or returned what is no result
   */
  invoke(id: string, call?: ToolCall, signal?: AbortSignal): Promise<ToolResult>
  /** Called after tools came, went or changed. */
  onChange(listener: () => void): Registration
}

/** What the rest of the host does with the tools that there are. */
export interface ToolShelf extends ToolRegistry {
  /** @throws {UnknownNameError} `unknown-tool` */
  find(id: string, signal?: AbortSignal): Promise<RegisteredTool>
  all(
    filter?: ToolFilter,
    signal?: AbortSignal,
  ): Promise<{ tools: RegisteredTool[]; failures: ToolFailure[] }>
  /** Takes out every source and closes it. */
  close(): Promise<void>
}

export interface ToolShelfOptions {
  call: (tool: RegisteredTool, call: ToolCall, signal: AbortSignal | undefined) => Promise<ToolResult>
  /** Adds sources that are there and not known yet; called whenever they matter. Must not throw. */
  discover?: () => Promise<void>
  /** What goes wrong where nobody waits for it. */
  warn?: (message: string) => void
}

export function createToolShelf({
  call,
  discover = () => Promise.resolve(),
  warn = () => {},
}: ToolShelfOptions): ToolShelf {
  const own = new Map<string, RegisteredTool>()
  const sources = new Map<string, SourceListing>()
  const listeners = new Set<() => void>()

  function changed() {
    for (const listener of [...listeners]) {
      try {
        listener()
      } catch (error) {
        warn(`A listener for changes of the tools failed: ${textOf(error)}`)
      }
    }
  }

  /** What is known now. The program's own come first, then the sources as they were added. */
  function known(): { tools: Map<string, RegisteredTool>; failures: ToolFailure[] } {
    const tools = new Map(own)
    const failures: ToolFailure[] = []
    for (const source of sources.values()) {
      for (const error of source.failures) failures.push({ source: source.name, error })
      for (const [id, tool] of source.tools) {
        const first = tools.get(id)
        if (!first) tools.set(id, tool)
        else {
          const taken = `${source.name} has a tool "${id}", as has ${nameOf(first)}: that one is used`
          failures.push({ source: source.name, error: new InvalidOptionError(taken) })
        }
      }
    }
    return { tools, failures }
  }

  async function refresh(signal: AbortSignal | undefined): Promise<void> {
    const all = discover().then(() => Promise.all(Array.from(sources.values(), source => source.refresh())))
    await (signal ? raced(all, signal) : all)
  }

  async function all(filter: ToolFilter = {}, signal?: AbortSignal) {
    await refresh(signal)
    const { tools, failures } = known()
    return {
      tools: [...tools.values()].filter(({ description }) => fits(description, filter)),
      failures: failures.filter(({ source }) => filter.source === undefined || isOf(source, filter.source)),
    }
  }

  async function find(id: string, signal?: AbortSignal): Promise<RegisteredTool> {
    // The program's own are there without asking anyone, and those of one source without waiting for another.
    const mine = own.get(id)
    if (mine) return mine
    const owner = [...sources.values()].find(source => source.tools.has(id))
    if (!owner) await (signal ? raced(discover(), signal) : discover())
    const asked = owner ? [owner] : [...sources.values()]
    const first = new Promise<void>(resolve => {
      const all = asked.map(source => source.refresh().then(() => source.tools.has(id) && resolve()))
      void Promise.all(all).then(() => resolve())
    })
    await (signal ? raced(first, signal) : first)
    // Its source may have it no more, and another has it now.
    if (owner && !owner.tools.has(id)) await refresh(signal)
    const { tools, failures } = known()
    const found = tools.get(id)
    if (found) return found
    throw unknownTool(id, tools.keys(), failures)
  }

  async function closeSource(source: SourceListing): Promise<void> {
    try {
      await source.close()
    } catch (error) {
      warn(`Cannot close ${source.name}: ${textOf(error)}`)
    }
  }

  return {
    register(id, tool) {
      const registered = checkTool(id, tool as Tool, 'app')
      const taken = own.get(id) ?? known().tools.get(id)
      if (taken)
        throw new InvalidOptionError(
          `Cannot offer the tool "${id}" of the program: ${nameOf(taken)} has one of that id`,
        )
      own.set(id, registered)
      changed()
      return createRegistration(() => {
        own.delete(id)
        changed()
      })
    },
    add(source) {
      if (!/^(?:extension|mcp):./s.test(source.name))
        throw new InvalidOptionError(
          `Cannot add a source of tools: its name must begin with "extension:" or "mcp:": it is "${source.name}"`,
        )
      if (sources.has(source.name))
        throw new InvalidOptionError(`Cannot add ${source.name}: there is a source of tools of that name`)
      const listing = createSourceListing(source, { changed })
      sources.set(source.name, listing)
      changed()
      return createRegistration(() => {
        sources.delete(source.name)
        void closeSource(listing)
        changed()
      })
    },
    async list(filter, { signal } = {}) {
      const { tools, failures } = await all(filter, signal)
      return { tools: tools.map(({ description }) => description), failures }
    },
    async invoke(id, given = {}, signal) {
      signal?.throwIfAborted()
      return call(await find(id, signal), given, signal)
    },
    onChange(listener) {
      // One function may listen twice, and then stops once.
      const own = () => listener()
      listeners.add(own)
      return createRegistration(() => listeners.delete(own))
    },
    find,
    all,
    async close() {
      const closing = [...sources.values()]
      sources.clear()
      listeners.clear()
      await Promise.all(closing.map(closeSource))
    },
  }
}

/** There is no such tool among these. */
export function unknownTool(
  id: string,
  known: Iterable<string>,
  failures: readonly ToolFailure[] = [],
): UnknownNameError {
  const names = [...known]
  const near = nearestNames(id, names)
  const hint =
    near.length > 0
      ? `: did you mean ${near.map(name => `"${name}"`).join(' or ')}?`
      : names.length > 0 && names.length <= MAX_NAMED
        ? `: there are ${names.join(', ')}`
        : ''
  const missing = failures.map(({ source, error }) => `${source}: ${error.message}`)
  const also = missing.length > 0 ? ` Not listed: ${missing.join('; ')}` : ''
  return new UnknownNameError('unknown-tool', `There is no tool "${id}"${hint}${also}`, near)
}

// More than this is a list to read, not a hint.
const MAX_NAMED = 20

function fits(tool: ToolDescription, { id, tag, source }: ToolFilter): boolean {
  return (
    (id === undefined || tool.id === id) &&
    (tag === undefined || tool.tags.includes(tag)) &&
    (source === undefined || isOf(tool.source, source))
  )
}

function isOf(source: ToolOrigin, wanted: NonNullable<ToolFilter['source']>): boolean {
  return source === wanted || source.startsWith(`${wanted}:`)
}

function nameOf({ description: { source } }: RegisteredTool): string {
  return source === 'app' ? 'the program' : source
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
