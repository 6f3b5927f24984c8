import { join } from 'node:path'
import * as z from 'zod'
import { definedOnly, modelInfos, readProviderError } from '../contract/guest-values.ts'
import type { ModelInfo, ProviderInfo, ToolInputFormat } from '../contract/models.ts'
import { nearestNames } from '../contract/nearest-names.ts'
import { ExtensionError, PermissionDeniedError, ProviderError, UnknownNameError } from '../errors.ts'
import type { Manifest } from '../extension/manifest.ts'
import { ReturnedError } from '../sandbox/life.ts'
import type { CompletionTarget } from './completion-target.ts'
import { chooseDefault, type DefaultModels, noDefaultModel } from './default-model.ts'
import type { ExtensionHost } from './extension-host.ts'
import { fitsFilter, type ModelFilter } from './model-filter.ts'
import { createModelLists, type ModelList } from './model-lists.ts'
import type { CredentialRefresh } from './refresh.ts'
import type { SignInTarget } from './sign-in.ts'

// Names, prices and limits of models change by the week.
export const MODELS_AGE_MS = 300_000

export interface ListOptions {
  signal?: AbortSignal | undefined
  /** How old a list may be that is not asked for anew, milliseconds. Default: 0. */
  maxAgeMs?: number | undefined
}

/** Knows which providers there are, by the references that callers write. */
export interface Catalogue {
  providers(): ProviderInfo[]
  /** Lists that are at most `maxAgeMs` old, 0 where it is not given. */
  models(filter: ModelFilter, options?: ListOptions): Promise<ModelList>
  /**
   * Whom a request's `model` means. The longest known provider wins, since model ids may hold slashes and colons.
   * @throws {UnknownNameError} with the nearest known names.
   */
  find(model: string): CompletionTarget
  /**
   * As `find`; `default`, `fast` and the name of a provider alone stand for the model that is meant where none is named.
   * @throws {UnknownNameError} with the nearest known names.
   */
  resolve(model: string | undefined): Promise<CompletionTarget>
  /** What it listed counts no more. */
  forget(provider: string): void
  /** Every provider, and the extension behind it. */
  readonly targets: readonly SignInTarget[]
  /** @throws {UnknownNameError} with the nearest known names. */
  findProvider(name: string): SignInTarget
}

/** A provider, the extension behind it, and what callers write for it. */
interface Entry {
  host: ExtensionHost
  provider: Manifest['providers'][number]
  reference: string
}

/** An installed extension that may not run: its bytes or its wishes are not what was agreed to. */
export interface BlockedExtension {
  id: string
  providers: readonly string[]
  /** For a person: what is not as it was agreed to, and what to do. */
  problem: string
}

export interface CatalogueOptions extends Pick<CredentialRefresh, 'withCredential'> {
  aliases: Record<string, string>
  /** The user's own choice of a model where a request names none, and of a quick one. */
  defaults: DefaultModels
  /** A provider's list is not what it was. */
  changed(provider: string): void
  /** Ends what is asked. */
  signal: AbortSignal
}

export function createCatalogue(
  hosts: readonly ExtensionHost[],
  blocked: readonly BlockedExtension[],
  options: CatalogueOptions,
): Catalogue {
  const { aliases, defaults, withCredential } = options
  const entries = hosts.flatMap(host => host.manifest.providers.map(provider => ({ host, provider })))
  const known: Entry[] = entries.map(({ host, provider }) => {
    const shared = entries.some(other => other.host !== host && other.provider.id === provider.id)
    return { host, provider, reference: shared ? `${host.id}:${provider.id}` : provider.id }
  })
  const lists = createModelLists({
    ask: (reference, signal) => ask(known.find(entry => entry.reference === reference)!, signal),
    changed: options.changed,
    signal: options.signal,
  })

  async function ask({ host, provider, reference }: Entry, signal: AbortSignal): Promise<ModelInfo[]> {
    const call = () => host.call('models', [provider.id], { signal })
    const returned = modelInfos.parse(await withCredential({ host, provider: provider.id }, call, { signal }))
    return returned.map(({ capabilities, pricing, ...model }) => ({
      reference: `${reference}/${model.id}`,
      provider: reference,
      extension: host.id,
      ...definedOnly(model),
      capabilities: definedOnly(capabilities),
      ...(pricing && { pricing: definedOnly(pricing) }),
    })) as ModelInfo[]
  }

  /** What the provider listed a while ago at most; nothing where it cannot say. */
  async function lastListed({ reference }: Entry, signal?: AbortSignal): Promise<ModelInfo[]> {
    return lists.list(reference, { maxAgeMs: MODELS_AGE_MS, signal }).catch((): ModelInfo[] => [])
  }

  async function toolInputFormat(entry: Entry, model: string): Promise<ToolInputFormat> {
    const models = await lastListed(entry)
    // A model that is not in the list is most likely like the others of its provider.
    const found = models.find(({ id }) => id === model) ?? models[0]
    return found?.capabilities.toolInputFormat ?? 'json-schema'
  }

  function spellings({ host, provider, reference }: Entry): string[] {
    return [reference, `${host.id}:${provider.id}`]
  }

  function find(model: string): CompletionTarget {
    const name = Object.hasOwn(aliases, model) ? aliases[model]! : model
    let best: { length: number; target: CompletionTarget } | undefined
    for (const entry of known) {
      for (const spelling of spellings(entry)) {
        if (!name.startsWith(`${spelling}/`) || name.length === spelling.length + 1) continue
        if (best && best.length >= spelling.length) continue
        const model = name.slice(spelling.length + 1)
        const target = {
          host: entry.host,
          provider: entry.provider.id,
          model,
          providerReference: entry.reference,
          reference: `${entry.reference}/${model}`,
          info: async () => (await lastListed(entry)).find(({ id }) => id === model),
          knownInfo: () => lists.known(entry.reference)?.find(({ id }) => id === model),
          toolInputFormat: () => toolInputFormat(entry, model),
          nearestModels: async (signal: AbortSignal) => {
            const models = await lastListed(entry, signal)
            const near = nearestNames(
              model,
              models.map(({ id }) => id),
            )
            return near.map(id => `${entry.reference}/${id}`)
          },
        }
        best = { length: spelling.length, target }
      }
    }
    if (best) return best.target
    refuseBlocked(provider => name.startsWith(`${provider}/`))
    const references = known.map(({ reference }) => reference)
    const [provider = '', rest = ''] = splitOnce(name, '/')
    const candidates = [
      ...Object.keys(aliases),
      ...lists.all().map(toReference),
      // What follows the first slash may well be right: then only the provider is misspelled.
      ...(rest === '' ? [] : nearestNames(provider, references).map(reference => `${reference}/${rest}`)),
    ]
    const near = nearestNames(name, [...new Set(candidates)])
    const there =
      references.length > 0 ? `providers are ${references.join(', ')}` : 'no extension is installed'
    const hint = near.length > 0 ? `did you mean ${near.map(quote).join(' or ')}?` : there
    throw new UnknownNameError(
      'unknown-model',
      `There is no model "${name}", which is written <provider>/<model id>: ${hint}`,
      near,
    )
  }

  async function resolve(model = 'default'): Promise<CompletionTarget> {
    const isAlias = Object.hasOwn(aliases, model)
    const isDefault = !isAlias && (model === 'default' || model === 'fast')
    const provider = known.find(entry => spellings(entry).includes(model))
    if (isAlias || (!isDefault && !provider)) return find(model)
    const own = model === 'fast' ? defaults.fast : defaults.model
    if (isDefault && own !== undefined) return find(own)
    const list = await listModels(provider ? { provider: model } : {}, { maxAgeMs: MODELS_AGE_MS })
    const chosen = chooseDefault(list.models, model === 'fast')
    if (chosen) return find(chosen.reference)
    throw noDefaultModel(list, `"${model}"`)
  }

  function refuseBlocked(isMeant: (provider: string) => boolean): void {
    const meant = blocked.find(({ id, providers }) =>
      providers.some(provider => isMeant(provider) || isMeant(`${id}:${provider}`)),
    )
    if (meant) throw toDenial(meant)
  }

  /** More than one where two extensions have a provider of that name. */
  function providersCalled(name: string): Entry[] {
    const called = known.filter(entry => spellings(entry).includes(name))
    if (called.length > 0) return called
    refuseBlocked(provider => provider === name)
    const references = known.map(({ reference }) => reference)
    const near = nearestNames(name, references)
    const hint = near[0] ? `did you mean "${near[0]}"?` : `there are ${references.join(', ') || 'none'}`
    throw new UnknownNameError('unknown-provider', `There is no provider "${name}": ${hint}`, near)
  }

  async function listModels(
    filter: ModelFilter,
    { signal, maxAgeMs = 0 }: ListOptions = {},
  ): Promise<ModelList> {
    const { provider: wanted } = filter
    const asked = wanted === undefined ? known : providersCalled(wanted)
    const listed = await Promise.all(
      asked.map(async (entry): Promise<ModelList> => {
        try {
          return { models: await lists.list(entry.reference, { maxAgeMs, signal }), failures: [] }
        } catch (error) {
          const { reference, host } = entry
          return {
            models: [],
            failures: [{ provider: reference, error: toProviderError(error, reference, host.id) }],
          }
        }
      }),
    )
    signal?.throwIfAborted()
    const denied = wanted === undefined ? blocked : []
    return {
      models: listed.flatMap(list => list.models).filter(model => fitsFilter(model, filter)),
      failures: [
        ...listed.flatMap(list => list.failures),
        ...denied.flatMap(one => one.providers.map(provider => ({ provider, error: toDenial(one) }))),
      ],
    }
  }

  const targets = known.map(({ host, provider, reference }) => ({ host, provider: provider.id, reference }))

  return {
    targets,
    findProvider(name) {
      const [first] = providersCalled(name)
      return targets[known.indexOf(first!)]!
    },
    providers: () =>
      known.map(({ host, provider, reference }) => ({
        reference,
        id: provider.id,
        name: provider.name,
        extension: host.id,
        ...(provider.icon !== undefined && { icon: join(host.folder, provider.icon) }),
      })),
    models: listModels,
    find,
    resolve,
    forget: lists.forget,
  }
}

function toDenial({ id, problem }: BlockedExtension): PermissionDeniedError {
  return new PermissionDeniedError(`install:${id}`, problem)
}

function toProviderError(error: unknown, provider: string, extension: string): Error {
  if (error instanceof ReturnedError)
    return new ProviderError({ ...readProviderError(error.record), provider })
  if (error instanceof z.ZodError) {
    const [issue] = error.issues
    const what = `models returned what does not fit: ${issue?.path.join('.')}: ${issue?.message}`
    return new ExtensionError(
      'extension-broke-contract',
      extension,
      `Extension "${extension}" broke the contract: ${what}`,
    )
  }
  if (error instanceof Error) return error
  return new ProviderError({ kind: 'other', message: String(error), provider })
}

function toReference({ reference }: ModelInfo): string {
  return reference
}

function splitOnce(text: string, by: string): string[] {
  const at = text.indexOf(by)
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + by.length)]
}

function quote(name: string): string {
  return `"${name}"`
}
