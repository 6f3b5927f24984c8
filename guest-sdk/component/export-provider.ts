import type * as llm from 'airlock:llm/llm-provider@0.1.0'
import type * as wit from 'airlock:llm/provider@0.1.0'
import type { Context } from '../context.ts'
import type { Received, Sent } from '../contract/wit.ts'
import type { Framing } from '../decoder.ts'
import type { CompletionStart, Provider, ProviderExtension } from '../provider.ts'
import { ProviderError } from '../provider-error.ts'
import { markRunning } from '../runtime/running.ts'
import { callAuthor, callAuthorOr, refusePromise } from './call-author.ts'
import { Completion, type CompletionSource, type WitStartedCompletion } from './completion.ts'
import { createContext } from './context.ts'
import { toWitRequest } from './http-request.ts'
import { toWitModels } from './model-writer.ts'
import { readRequest } from './request-reader.ts'
import { toWitDeviceFlow, toWitDeviceFlowStatus, toWitSignInOptions } from './sign-in-writer.ts'
import { count, object, oneOf, optionalText, text } from './wit-value.ts'

const FRAMINGS: readonly Framing[] = ['server-sent-events', 'lines', 'whole', 'bytes']

type Exports = {
  [Key in Exclude<keyof typeof wit, 'Completion' | 'startCompletion'>]: (typeof wit)[Key] extends (
    ...args: infer Args
  ) => infer Result
    ? (...args: { [Index in keyof Args]: Received<Args[Index]> }) => Sent<Result>
    : never
} & {
  Completion: typeof Completion
  startCompletion(
    providerId: string,
    modelId: string,
    request: Received<llm.CompletionRequest>,
  ): WitStartedCompletion
}

/**
 * What a component exports as the interface `provider`. Every function of it is called by the host, and
 * none lets anything out but what the contract has for it. `declared`: the ids that extension.json names.
 */
export function exportProvider(extension: ProviderExtension, declared: readonly string[]): Exports {
  const providers = checkProviders(extension, declared)

  const find = (id: string): Provider<Framing> => {
    markRunning()
    const provider = providers.find(provider => provider.id === id)
    if (provider !== undefined) return provider
    throw new ProviderError({
      kind: 'invalid-request',
      message: `This extension has no provider "${id}"; it has ${providers.map(({ id }) => id).join(', ')}`,
    })
  }

  /** For exports that may fail. */
  const call = <T>(id: string, name: string, run: (provider: Provider<Framing>) => T): T =>
    callAuthor(id, name, () => run(find(id)))
  /** For exports that cannot. */
  const callOr = <T>(id: string, name: string, fallback: T, run: (provider: Provider<Framing>) => T): T =>
    callAuthorOr(id, name, fallback, () => run(find(id)))

  return {
    Completion,

    providers() {
      markRunning()
      return providers.map(({ id, name, icon }) => ({ id, name, icon }))
    },

    models: id =>
      call(id, 'models', provider =>
        toWitModels(refusePromise(provider.models(createContext(id)), id, 'models')),
      ),

    getCacheConfiguration: (id, model) =>
      callOr(id, 'cacheConfiguration', undefined, provider => {
        const found = refusePromise(provider.cacheConfiguration?.(model), id, 'cacheConfiguration')
        if (found === undefined || found === null) return undefined
        return {
          maxCacheAnchors: count(found.maxCacheAnchors, 'cacheConfiguration().maxCacheAnchors', 0xffffffff),
          shouldCacheToolDefinitions: found.shouldCacheToolDefinitions === true,
          minTotalTokenCount: count(found.minTotalTokenCount, 'cacheConfiguration().minTotalTokenCount'),
        }
      }),

    countTokens: (id, model, request) =>
      call(id, 'countTokens', provider => {
        if (provider.countTokens === undefined) throw unsupported(provider, 'counts no tokens')
        const tokens = provider.countTokens(readRequest(request), model, createContext(id))
        return count(refusePromise(tokens, id, 'countTokens'), 'the result of countTokens()')
      }),

    signInOptions: id =>
      callOr(id, 'signInOptions', [], provider =>
        toWitSignInOptions(
          refusePromise(provider.signInOptions?.(createContext(id)) ?? [], id, 'signInOptions'),
        ),
      ),

    settingsMarkdown: id =>
      callOr(id, 'settingsMarkdown', undefined, provider => {
        const markdown = provider.settingsMarkdown?.(createContext(id))
        return optionalText(
          refusePromise(markdown, id, 'settingsMarkdown'),
          'the result of settingsMarkdown()',
        )
      }),

    isAuthenticated: id =>
      callOr(id, 'isAuthenticated', false, provider => {
        const context = createContext(id)
        if (provider.isAuthenticated !== undefined) {
          return refusePromise(provider.isAuthenticated(context), id, 'isAuthenticated') === true
        }
        return (provider.signInOptions?.(context).length ?? 0) === 0 || context.credential() !== undefined
      }),

    signIn: (id, option, form) =>
      call(id, 'signIn', provider => {
        const context = createContext(id)
        const entered = readForm(form)
        if (provider.signIn !== undefined) {
          refusePromise(provider.signIn(option, entered, context) as unknown, id, 'signIn')
          return
        }
        const values = Object.values(entered)
        if (values.length === 0) throw unsupported(provider, `does not know how to sign in with "${option}"`)
        context.storeCredential(
          values.length === 1 ? values[0]! : keepForm(entered, provider, option, context),
        )
      }),

    signOut: id =>
      call(id, 'signOut', provider => {
        const context = createContext(id)
        if (provider.signOut === undefined) context.deleteCredential()
        else refusePromise(provider.signOut(context) as unknown, id, 'signOut')
      }),

    refreshCredential: id =>
      call(id, 'refreshCredential', provider => {
        const refreshed = provider.refreshCredential?.(createContext(id))
        return refusePromise(refreshed, id, 'refreshCredential') === true
      }),

    startDeviceFlow: (id, option) =>
      call(id, 'startDeviceFlow', provider => {
        if (provider.startDeviceFlow === undefined) throw unsupported(provider, 'has no device flow')
        const flow = provider.startDeviceFlow(option, createContext(id))
        return toWitDeviceFlow(refusePromise(flow, id, 'startDeviceFlow'))
      }),

    pollDeviceFlow: (id, state) =>
      call(id, 'pollDeviceFlow', provider => {
        if (provider.pollDeviceFlow === undefined) throw unsupported(provider, 'has no device flow')
        const status = provider.pollDeviceFlow(state, createContext(id))
        return toWitDeviceFlowStatus(refusePromise(status, id, 'pollDeviceFlow'))
      }),

    startCompletion: (id, model, request) =>
      call(id, 'request', provider =>
        startCompletion(provider, { request: readRequest(request), model, context: createContext(id) }),
      ),
  }
}

function startCompletion(provider: Provider<Framing>, start: CompletionStart): WitStartedCompletion {
  const { id } = provider
  const { request, model, context } = start
  if (provider.respond !== undefined) {
    const events = callAuthor(id, 'respond', () => {
      const answer = refusePromise(provider.respond!(request, model, context), id, 'respond')
      return object(answer, 'the result of respond()')[Symbol.iterator]()
    })
    return { framing: 'none', completion: new Completion(provider, start, { events }) }
  }
  const wanted = refusePromise(provider.request!(request, model, context), id, 'request')
  const { framing = 'server-sent-events' } = object(wanted, 'the result of request()')
  const decoder = callAuthor(id, 'decode', () => refusePromise(provider.decode!(start), id, 'decode'))
  const source: CompletionSource = { decoder: object(decoder, 'the result of decode()') }
  return {
    request: toWitRequest(wanted),
    framing: oneOf(framing, FRAMINGS, 'framing of the result of request()'),
    completion: new Completion(provider, start, source),
  }
}

/** Runs when the component is built, so that a wrong definition never becomes a component. */
function checkProviders(
  extension: ProviderExtension,
  declared: readonly string[],
): readonly Provider<Framing>[] {
  const providers = extension?.providers
  if (!Array.isArray(providers) || providers.length === 0) {
    throw new TypeError('provider.ts must export default defineProvider({...}) or defineProviders([...])')
  }
  const ids = new Set<string>()
  for (const [index, provider] of (providers as readonly Provider<Framing>[]).entries()) {
    const id = text(provider.id, `id of provider ${index + 1}`)
    if (ids.has(id)) throw new TypeError(`Two providers have the id "${id}": ids are unique in an extension`)
    ids.add(id)
    text(provider.name, `name of provider ${id}`)
    optionalText(provider.icon, `icon of provider ${id}`)
    if (typeof provider.models !== 'function') throw new TypeError(`Provider ${id} must have models()`)
    const asks = typeof provider.request === 'function' && typeof provider.decode === 'function'
    if (!asks && typeof provider.respond !== 'function') {
      throw new TypeError(`Provider ${id} must have request() and decode(), or respond()`)
    }
  }
  if (ids.size !== declared.length || declared.some(id => !ids.has(id))) {
    throw new TypeError(
      `extension.json names the providers ${declared.join(', ') || '(none)'}; provider.ts defines ${[...ids].join(', ')}: they must be the same`,
    )
  }
  return providers
}

function readForm(form: string | null): Record<string, string> {
  if (form === null) return {}
  const fields: Record<string, string> = {}
  for (const [key, value] of Object.entries(JSON.parse(form) as Record<string, unknown>)) {
    if (typeof value === 'string') fields[key] = value
  }
  return fields
}

/** What is no secret goes where it stays readable. */
function keepForm(
  entered: Readonly<Record<string, string>>,
  provider: Provider<Framing>,
  option: string,
  context: Context,
): string {
  const method = provider.signInOptions?.(context).find(({ id }) => id === option)?.method
  const fields = method?.type === 'form' ? method.fields : []
  const isPublic = (key: string) => fields.some(field => field.key === key && field.secret === false)
  const plain: Record<string, string> = {}
  const secret: Record<string, string> = {}
  for (const [key, value] of Object.entries(entered)) (isPublic(key) ? plain : secret)[key] = value
  return JSON.stringify(Object.keys(plain).length > 0 ? { ...secret, public: plain } : secret)
}

function unsupported(provider: Provider<Framing>, what: string): ProviderError {
  return new ProviderError({ kind: 'unsupported', message: `${provider.name} ${what}` })
}
