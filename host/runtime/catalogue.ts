import { join } from 'node:path'
import * as z from 'zod'
import { definedOnly, modelInfos, readProviderError } from '../contract/guest-values.ts'
import type { ModelInfo, ProviderInfo } from '../contract/models.ts'
import { nearestNames } from '../contract/nearest-names.ts'
import { ExtensionError, ProviderError, UnknownNameError } from '../errors.ts'
import { ReturnedError } from '../sandbox/life.ts'
import type { CompletionTarget } from './complete.ts'
import type { ExtensionHost } from './extension-host.ts'
import type { CredentialRefresh } from './refresh.ts'
import type { SignInTarget } from './sign-in.ts'

export interface ModelList {
  models: ModelInfo[]
  /** Providers that could not say; those that could are in `models`. */
  failures: { provider: string; error: Error }[]
}

/** Knows which providers there are, by the references that callers write. */
export interface Catalogue {
  providers(): ProviderInfo[]
  models(filter: { provider?: string }, signal?: AbortSignal): Promise<ModelList>
  /**
   * Whom a request's `model` means. The longest known provider wins, since model ids may hold slashes and colons.
   * @throws {UnknownNameError} with the nearest known names.
   */
  find(model: string): CompletionTarget
  /** Every provider, and the extension behind it. */
  readonly targets: readonly SignInTarget[]
  /** @throws {UnknownNameError} with the nearest known names. */
  findProvider(name: string): SignInTarget
  /** The nearest known models, for a message; asks no service. */
  nearestModels(model: string): string[]
}

export function createCatalogue(
  hosts: readonly ExtensionHost[],
  aliases: Record<string, string>,
  { withCredential }: Pick<CredentialRefresh, 'withCredential'>,
): Catalogue {
  const entries = hosts.flatMap(host => host.manifest.providers.map(provider => ({ host, provider })))
  const known = entries.map(({ host, provider }) => {
    const shared = entries.some(other => other.host !== host && other.provider.id === provider.id)
    return { host, provider, reference: shared ? `${host.id}:${provider.id}` : provider.id }
  })
  const seen = new Map<string, string[]>()

  function spellings({ host, provider, reference }: (typeof known)[number]): string[] {
    return [reference, `${host.id}:${provider.id}`]
  }

  function find(model: string): CompletionTarget {
    const name = Object.hasOwn(aliases, model) ? aliases[model]! : model
    let best: { length: number; target: CompletionTarget } | undefined
    for (const entry of known) {
      for (const spelling of spellings(entry)) {
        if (!name.startsWith(`${spelling}/`) || name.length === spelling.length + 1) continue
        if (best && best.length >= spelling.length) continue
        const target = {
          host: entry.host,
          provider: entry.provider.id,
          model: name.slice(spelling.length + 1),
        }
        best = { length: spelling.length, target }
      }
    }
    if (best) return best.target
    const references = known.map(({ reference }) => reference)
    // What follows the first slash may well be right: then only the provider is misspelled.
    const rest = name.slice(name.indexOf('/') + 1)
    const candidates = [
      ...Object.keys(aliases),
      ...[...seen.values()].flat(),
      ...references.map(reference => `${reference}/${rest}`),
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

  /** More than one where two extensions have a provider of that name. */
  function providersCalled(name: string): typeof known {
    const called = known.filter(entry => spellings(entry).includes(name))
    if (called.length > 0) return called
    const references = known.map(({ reference }) => reference)
    const near = nearestNames(name, references)
    const hint = near[0] ? `did you mean "${near[0]}"?` : `there are ${references.join(', ') || 'none'}`
    throw new UnknownNameError('unknown-provider', `There is no provider "${name}": ${hint}`, near)
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
    async models({ provider: wanted }, signal) {
      const asked = wanted === undefined ? known : providersCalled(wanted)
      const lists = await Promise.all(
        asked.map(async ({ host, provider, reference }): Promise<ModelList> => {
          try {
            const ask = () => host.call('models', [provider.id], { signal })
            const user = { host, provider: provider.id }
            const returned = modelInfos.parse(await withCredential(user, ask, { signal }))
            const models = returned.map(({ capabilities, pricing, ...model }) => ({
              reference: `${reference}/${model.id}`,
              provider: reference,
              extension: host.id,
              ...definedOnly(model),
              capabilities: definedOnly(capabilities),
              ...(pricing && { pricing: definedOnly(pricing) }),
            })) as ModelInfo[]
            seen.set(
              reference,
              models.map(model => model.reference),
            )
            return { models, failures: [] }
          } catch (error) {
            return {
              models: [],
              failures: [{ provider: reference, error: toProviderError(error, reference, host.id) }],
            }
          }
        }),
      )
      signal?.throwIfAborted()
      return { models: lists.flatMap(list => list.models), failures: lists.flatMap(list => list.failures) }
    },
    find,
    nearestModels: model => nearestNames(model, [...seen.values()].flat()),
  }
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

function quote(name: string): string {
  return `"${name}"`
}
