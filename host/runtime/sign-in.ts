import type * as z from 'zod'
import { beginSession, type SignInEvent, type SignInSession } from '../capabilities/sign-in-session.ts'
import { readProviderError } from '../contract/guest-values.ts'
import type { ModelInfo } from '../contract/models.ts'
import { raced } from '../contract/raced.ts'
import {
  deviceFlow,
  deviceFlowStatus,
  type SignInField,
  type SignInOption,
  signInOptions,
} from '../contract/sign-in.ts'
import { AirlockError, ExtensionError, InvalidOptionError, ProviderError } from '../errors.ts'
import { type DeviceFlowPrompt, runDeviceFlow } from '../oauth/device-flow.ts'
import { plainText } from '../oauth/plain-text.ts'
import { ReturnedError } from '../sandbox/life.ts'
import type { ExtensionHost } from './extension-host.ts'
import { checkForm } from './sign-in/check-form.ts'

/** What a program that signs a user in shows and asks. All texts are plain: no control characters. */
export interface SignInUi {
  /** Asks for the fields of a form; answers by their keys. A field that is left out is empty. */
  form?(form: SignInForm, signal: AbortSignal): Promise<Readonly<Record<string, string>>>
  /** Starts a browser. It may fail, or be absent: the event `visit` has the URL to show in any case. */
  openBrowser?(url: string): Promise<unknown>
  /** The code that the user enters at `prompt.verificationUrl`. Absent: the event `device-code` says it. */
  showDeviceCode?(prompt: DeviceFlowPrompt & { expiresInMs: number }): void
  /**
   * Asks for the address that the browser ended on, for a browser that cannot reach this machine. Asked again after
   * an answer that was of no use; undefined offers no more. The signal takes the question back.
   */
  readPasted?(signal: AbortSignal): Promise<string | undefined>
  /** Told of everything that happens. What it throws ends the sign-in. */
  progress?(event: SignInEvent): void
}

export interface SignInForm {
  provider: string
  /** The option's label. */
  title: string
  fields: SignInField[]
}

export interface SignInRequest {
  /** Id of one of the provider's options. Default: its only one. */
  option?: string
  /** Ends the sign-in with its reason; the port is free, and nothing is stored afterwards. */
  signal?: AbortSignal
  ui: SignInUi
}

export interface SignInResult {
  provider: string
  option: string
  /** What the service has for this user. Where it could not be asked, `failure` says why, and what was known stays. */
  models: ModelInfo[]
  failure?: Error
  /** What the service wants said at the end of a device flow. */
  message?: string
}

export interface SignInTarget {
  host: ExtensionHost
  /** The provider's id. */
  provider: string
  /** What the user calls it. */
  reference: string
}

/** The ways in that a provider offers; none where it needs no signing in. */
export async function readSignInOptions(
  { host, provider, reference }: SignInTarget,
  signal?: AbortSignal,
): Promise<SignInOption[]> {
  const parsed = signInOptions.safeParse(await host.call('signInOptions', [provider], { signal }))
  if (!parsed.success) throw brokeContract(host, 'it returned sign-in options that do not fit')
  const options = parsed.data.map(option => ({ ...option, label: plainText(option.label, 200) }))
  if (new Set(options.map(({ id }) => id)).size < options.length)
    throw brokeContract(host, `two sign-in options of "${reference}" have one id`)
  return options
}

/** Signs in: `askModels` is called once the credential is stored. */
export async function signIn(
  target: SignInTarget,
  { option: wanted, signal, ui }: SignInRequest,
  askModels: () => Promise<{ models: ModelInfo[]; failure?: Error }>,
): Promise<SignInResult> {
  signal?.throwIfAborted()
  const { host, provider, reference } = target
  const option = choose(await readSignInOptions(target, signal), wanted, reference)
  const session = beginSession({
    provider,
    purpose: 'sign-in',
    option: option.id,
    signal,
    openBrowser: ui.openBrowser?.bind(ui),
    readPasted: ui.readPasted?.bind(ui),
    progress: ui.progress?.bind(ui),
  })
  let prompt: DeviceFlowPrompt | undefined
  try {
    // A guest that does not hear the signal is not waited for.
    prompt = await raced(run(target, option, session, ui), session.signal)
  } catch (error) {
    signal?.throwIfAborted()
    throw toCallerError(error, session, reference)
  } finally {
    await session.end()
  }
  if (!session.stored) throw brokeContract(host, 'it said that the sign-in is done, and stored no credential')
  ui.progress?.({ type: 'signed-in' })
  return {
    provider: reference,
    option: option.id,
    ...(await askModels()),
    ...(prompt?.successMessage && { message: prompt.successMessage }),
  }
}

function choose(
  options: readonly SignInOption[],
  wanted: string | undefined,
  reference: string,
): SignInOption {
  const ids = options.map(({ id }) => id).join(', ')
  if (options.length === 0)
    throw new InvalidOptionError(`Cannot sign in to "${reference}": it needs no signing in`)
  if (wanted === undefined) {
    if (options.length === 1) return options[0]!
    throw new InvalidOptionError(`Cannot sign in to "${reference}" without an option: it offers ${ids}`)
  }
  const found = options.find(({ id }) => id === wanted)
  if (found) return found
  throw new InvalidOptionError(`Cannot sign in to "${reference}" with "${wanted}": it offers ${ids}`)
}

async function run(
  { host, provider, reference }: SignInTarget,
  { id, label, method }: SignInOption,
  session: SignInSession,
  ui: SignInUi,
): Promise<DeviceFlowPrompt | undefined> {
  switch (method.type) {
    case 'form': {
      if (!ui.form)
        throw new InvalidOptionError(`Cannot sign in to "${reference}": this program shows no forms`)
      const fields = method.fields.map(field => ({ ...field, label: plainText(field.label, 200) }))
      const entered = await ui.form({ provider: reference, title: label, fields }, session.signal)
      const { form, release } = host.credentials.handOutForm(provider, checkForm(fields, entered))
      session.onEnd(async () => release())
      await host.callIn(session, 'signIn', [provider, id, JSON.stringify(form)])
      return undefined
    }
    case 'browser':
      await host.callIn(session, 'signIn', [provider, id, undefined])
      return undefined
    case 'device-flow':
      return runDeviceFlow({
        start: async () => read(deviceFlow, await call('startDeviceFlow', [provider, id])),
        poll: async state => read(deviceFlowStatus, await call('pollDeviceFlow', [provider, state])),
        permission: host.browserPermission(provider),
        openBrowser: session.openBrowser,
        signal: session.signal,
        onEvent(event) {
          if (event.type !== 'prompt') return session.progress(event)
          const { prompt, expiresInMs } = event
          ui.showDeviceCode?.({ ...prompt, expiresInMs })
          session.progress({ type: 'device-code', prompt, expiresInMs })
        },
      })
    default:
      return method satisfies never
  }

  function read<T>(schema: z.ZodType<T>, value: unknown): T {
    const parsed = schema.safeParse(value)
    if (parsed.success) return parsed.data
    throw brokeContract(host, 'what it returned of the device flow does not fit')
  }

  /** The device flow tells the ends by the service's own code. */
  async function call(name: string, args: unknown[]): Promise<unknown> {
    try {
      return await host.callIn(session, name, args)
    } catch (error) {
      if (!(error instanceof ReturnedError)) throw error
      throw new ProviderError({ ...readProviderError(error.record), provider: reference })
    }
  }
}

/** What the host knows goes before what the guest makes of it. */
function toCallerError(error: unknown, { failure }: SignInSession, provider: string): unknown {
  if (error instanceof AirlockError || !(error instanceof ReturnedError)) return error
  const told = readProviderError(error.record)
  if (failure instanceof AirlockError && told.message.includes(failure.message)) return failure
  return new ProviderError({ ...told, provider, ...(failure && { cause: failure }) })
}

function brokeContract(host: ExtensionHost, what: string): ExtensionError {
  return new ExtensionError(
    'extension-broke-contract',
    host.id,
    `Extension "${host.id}" broke the contract: ${what}`,
  )
}
