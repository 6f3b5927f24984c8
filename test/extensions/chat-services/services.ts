import deepseekExtension from '../../../extensions/deepseek/provider.ts'
import { service as deepseek } from '../../../extensions/deepseek/service.ts'
import groqExtension from '../../../extensions/groq/provider.ts'
import { service as groq } from '../../../extensions/groq/service.ts'
import mistralExtension from '../../../extensions/mistral/provider.ts'
import { service as mistral } from '../../../extensions/mistral/service.ts'
import xaiExtension from '../../../extensions/xai/provider.ts'
import { service as xai } from '../../../extensions/xai/service.ts'
import type { Provider, ProviderExtension } from '../../../guest-sdk/index.ts'

/** The extensions for services that speak the chat dialect. */
export const services = [
  { service: mistral, ...providerOf(mistralExtension) },
  { service: deepseek, ...providerOf(deepseekExtension) },
  { service: xai, ...providerOf(xaiExtension) },
  { service: groq, ...providerOf(groqExtension) },
].map(each => ({ ...each, id: each.service.id, variable: each.service.keyVariables[0] ?? '' }))

type Asking = Provider & Required<Pick<Provider, 'request' | 'decode'>>

function providerOf({ providers: [provider] }: ProviderExtension): { provider: Asking } {
  if (!provider?.request || !provider.decode) throw new Error('the extension has no provider that asks')
  return { provider: provider as Asking }
}

export function serviceOf(id: string): (typeof services)[number] {
  const found = services.find(each => each.id === id)
  if (!found) throw new Error(`no service "${id}"`)
  return found
}
