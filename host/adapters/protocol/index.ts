import type { ModelInfo } from '../../contract/models.ts'
import type { Airlock } from '../../runtime/airlock.ts'
import { createCallerCredentials } from './caller-credentials.ts'
import type { Protocol, ProtocolCapabilities } from './shape.ts'
import { streamAnswer } from './stream.ts'

export type {
  AvailableModel,
  CredentialField,
  Credentials,
  ErrorKind,
  Message,
  Protocol,
  ProtocolCapabilities,
  ProtocolError,
  ProtocolRequest,
  StopReason,
  StreamEvent,
  TokenUsage,
  ToolCall,
  ToolDef,
  ToolResult,
} from './shape.ts'

export interface ProtocolOptions {
  /** As callers of the airlock write it. */
  provider: string
  /** Default: the provider as callers write it. */
  id?: string
  /** Default: the provider's name. */
  label?: string
}

/**
 * One of Airlock's providers as a protocol of Perfetto's gateway for language models. Asks no service.
 *
 * Credentials that a call brings are entered into the provider's form, in the place of what the airlock holds for it;
 * a program that keeps them itself makes its airlock with `createMemoryStore()`, and one airlock for each account.
 * A call that brings none uses what the airlock holds.
 * @throws {UnknownNameError} there is no such provider
 */
export async function createProtocol(airlock: Airlock, options: ProtocolOptions): Promise<Protocol> {
  const signInOptions = await airlock.signInOptions(options.provider)
  const known = (await airlock.providers()).find(
    one => options.provider === one.reference || options.provider === `${one.extension}:${one.id}`,
  )
  const provider = known?.reference ?? options.provider
  const { id = provider, label = known?.name ?? provider } = options
  const form = signInOptions.find(({ method }) => method.type === 'form')
  const credentials = createCallerCredentials(airlock, provider, form)
  let capabilities: ProtocolCapabilities = { nativeToolCalling: true, streaming: true }

  return {
    id,
    label,
    get capabilities() {
      return capabilities
    },
    credentialFields: form?.method.type === 'form' ? form.method.fields : [],

    async listModels(entered, signal) {
      const held = await credentials.hold(entered, signal)
      try {
        const { models, failures } = await airlock.models({ provider }, { ...(signal && { signal }) })
        if (failures[0]) throw failures[0].error
        capabilities = capabilitiesOf(models) ?? capabilities
        return models.map(model => ({ name: model.id }))
      } catch (error) {
        credentials.forgetRefused(error)
        throw error
      } finally {
        held.release()
      }
    },

    createStream: (model, request, entered, signal) =>
      streamAnswer(airlock, credentials, { provider, model, request, entered, signal }),
  }
}

/** What holds for every model. Undefined where there is none to ask. */
function capabilitiesOf(models: readonly ModelInfo[]): ProtocolCapabilities | undefined {
  if (models.length === 0) return undefined
  return {
    nativeToolCalling: models.every(({ capabilities }) => capabilities.supportsTools),
    streaming: models.every(({ capabilities }) => capabilities.supportsStreaming),
  }
}
