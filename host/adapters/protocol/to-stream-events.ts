import type { CompletionEvent, TokenUsage as ReportedUsage, StopReason } from '../../contract/events.ts'
import { CredentialError } from '../../credentials/credential-error.ts'
import { ProviderError, type ProviderErrorKind, TransportError } from '../../errors.ts'
import { SignInError } from '../../oauth/sign-in-error.ts'
import { createCarrier } from '../carried-parts.ts'
import type { ErrorKind, StreamEvent as Event, ProtocolError, TokenUsage } from './shape.ts'
import { writeSignature } from './signature.ts'

type BrokenCall = Extract<CompletionEvent, { type: 'tool-use-json-parse-error' }>

/** Turns the events of one answer into those of the protocol, the end included. */
export function createTranslation(provider: string) {
  const carrier = createCarrier()
  const broken: BrokenCall[] = []
  let calls = 0

  function stopOf(reason: StopReason): Event {
    const error = broken[0] && reason !== 'max-tokens' ? ofBrokenCall(broken[0]) : ofService(reason)
    if (error) return { type: 'stop', reason: 'error', error, detail: reason }
    if (reason === 'max-tokens') return { type: 'stop', reason: 'length', detail: reason }
    return { type: 'stop', reason: calls > 0 ? 'tool-calls' : 'end', detail: reason }
  }

  return {
    of(event: CompletionEvent): Event[] {
      carrier.see(event)
      switch (event.type) {
        case 'text':
          return [{ type: 'text', text: event.text }]
        case 'thinking':
          return event.text === '' ? [] : [{ type: 'thought', text: event.text }]
        case 'tool-use': {
          calls++
          const { id, name, input, thoughtSignature } = event
          const signature = writeSignature(carrier.take(thoughtSignature), provider)
          return [
            { type: 'tool-call', call: { id, name, args: toArgs(input), ...(signature && { signature }) } },
          ]
        }
        case 'tool-use-json-parse-error':
          broken.push(event)
          return []
        case 'usage':
          return ofUsage(event)
        case 'stop':
          return [stopOf(event.reason)]
        case 'started':
        case 'response-metadata':
        case 'redacted-thinking':
        case 'tool-input-delta':
        case 'image':
        case 'citation':
        case 'reasoning-details':
        case 'provider-content':
          return []
        default:
          return event satisfies never
      }
    },
    /** The answer failed, or was aborted; what was used is told all the same. */
    ofFailure(error: unknown, usage: ReportedUsage | undefined): Event[] {
      return [...ofUsage(usage), { type: 'stop', reason: 'error', error: toProtocolError(error) }]
    },
  }
}

/** The arguments are valid JSON by the law of the events; a model may still have written no object. */
function toArgs(input: string): Record<string, unknown> {
  const args: unknown = JSON.parse(input.trim() || '{}')
  return typeof args === 'object' && args !== null && !Array.isArray(args) ? { ...args } : { value: args }
}

function ofUsage(usage: ReportedUsage | undefined): Event[] {
  if (!usage) return []
  const { inputTokens, outputTokens, totalTokens } = usage
  const told: TokenUsage = {
    // No prompt has no tokens: then the service said nothing of it.
    ...(inputTokens > 0 && { inputTokens }),
    ...((outputTokens > 0 || inputTokens > 0) && { outputTokens }),
    ...(totalTokens !== undefined && { totalTokens }),
  }
  return Object.keys(told).length === 0 ? [] : [{ type: 'usage', usage: told }]
}

/** A call with other arguments than the model's must not run, and one that vanishes would look like an end. */
function ofBrokenCall({ name, error }: BrokenCall): ProtocolError {
  return {
    kind: 'unknown',
    message: `The model called "${name}" with arguments that cannot be read (${error}), so it was not called: ask again`,
  }
}

function ofService(reason: StopReason): ProtocolError | undefined {
  if (reason === 'refusal') return { kind: 'unknown', message: 'The model refused to go on with its answer' }
  if (reason === 'content-filter')
    return { kind: 'unknown', message: "The service's content filter ended the answer" }
  return undefined
}

const KINDS: Readonly<Partial<Record<ProviderErrorKind, ErrorKind>>> = {
  'rate-limited': 'rate-limit',
  'quota-exhausted': 'rate-limit',
  // To be asked again later, like the two above.
  overloaded: 'rate-limit',
  authentication: 'auth',
  permission: 'auth',
  'context-length-exceeded': 'context-length',
  network: 'network',
}

function toProtocolError(error: unknown): ProtocolError {
  const message = error instanceof Error ? error.message : String(error)
  return { kind: kindOf(error), message, cause: error }
}

function kindOf(error: unknown): ErrorKind {
  if (error instanceof ProviderError) return KINDS[error.kind] ?? 'unknown'
  if (error instanceof TransportError) return 'network'
  return error instanceof CredentialError || error instanceof SignInError ? 'auth' : 'unknown'
}
