import type * as wit from 'airlock:llm/provider@0.1.0'
import type { Sent } from '../contract/wit.ts'
import type { DeviceFlow, DeviceFlowStatus, SignInOption } from '../provider.ts'
import { count, list, object, optionalText, text, wrong } from './wit-value.ts'

const U32 = 0xffffffff

/** @throws {TypeError} naming the field that does not fit. */
export function toWitSignInOptions(options: Iterable<SignInOption>): Sent<wit.SignInOption>[] {
  return list(options, 'the result of signInOptions()').map((option, index) => {
    const path = `signInOptions()[${index}]`
    object(option, path)
    return {
      id: text(option.id, `${path}.id`),
      label: text(option.label, `${path}.label`),
      method: toWitMethod(object(option.method, `${path}.method`), `${path}.method`),
    }
  })
}

function toWitMethod(method: SignInOption['method'], path: string): Sent<wit.SignInMethod> {
  switch (method.type) {
    case 'form':
      return {
        tag: 'form',
        val: list(method.fields, `${path}.fields`).map((field, index) => ({
          key: text(field.key, `${path}.fields[${index}].key`),
          label: text(field.label, `${path}.fields[${index}].label`),
          secret: field.secret !== false,
          required: field.required !== false,
          placeholder: optionalText(field.placeholder, `${path}.fields[${index}].placeholder`),
        })),
      }
    case 'browser':
    case 'device-flow':
      return { tag: method.type }
    default: {
      const unknown: { type?: unknown } = method satisfies never
      throw wrong(`${path}.type`, 'one of form, browser, device-flow', unknown.type)
    }
  }
}

/** @throws {TypeError} naming the field that does not fit. */
export function toWitDeviceFlow(flow: DeviceFlow): Sent<wit.DeviceFlow> {
  const { prompt, state, pollIntervalSeconds, expiresInSeconds } = object(
    flow,
    'the result of startDeviceFlow()',
  )
  const field = (name: keyof typeof prompt) => text(prompt[name], `startDeviceFlow().prompt.${name}`)
  object(prompt, 'startDeviceFlow().prompt')
  return {
    prompt: {
      userCode: field('userCode'),
      verificationUrl: field('verificationUrl'),
      headline: field('headline'),
      description: field('description'),
      connectButtonLabel: field('connectButtonLabel'),
      successHeadline: field('successHeadline'),
      successMessage: field('successMessage'),
    },
    state: text(state, 'startDeviceFlow().state'),
    pollIntervalSecs: count(pollIntervalSeconds, 'startDeviceFlow().pollIntervalSeconds', U32),
    expiresInSecs: count(expiresInSeconds, 'startDeviceFlow().expiresInSeconds', U32),
  }
}

/** @throws {TypeError} where it is no status. */
export function toWitDeviceFlowStatus(status: DeviceFlowStatus): Sent<wit.DeviceFlowStatus> {
  if (status === 'pending' || status === 'complete') return { tag: status }
  const { slowDownSeconds } = object(status, 'the result of pollDeviceFlow()')
  return { tag: 'slow-down', val: count(slowDownSeconds, 'pollDeviceFlow().slowDownSeconds', U32) }
}
