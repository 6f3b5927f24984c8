import { errorFromValue, retryAfter } from '../../http-error.ts'
import type { HttpResponse } from '../../http-response.ts'
import type { ProviderErrorDetails, ProviderErrorKind } from '../../provider-error.ts'
import { parseJson } from '../json-value.ts'

/** What the service's exceptions mean, by name, and the HTTP status of each that comes inside a stream. */
const EXCEPTIONS: Readonly<Record<string, { kind?: ProviderErrorKind; status: number }>> = {
  accessdeniedexception: { kind: 'permission', status: 403 },
  expiredtokenexception: { kind: 'authentication', status: 403 },
  expiredtoken: { kind: 'authentication', status: 403 },
  incompletesignatureexception: { kind: 'authentication', status: 400 },
  incompletesignature: { kind: 'authentication', status: 400 },
  invalidclienttokenid: { kind: 'authentication', status: 403 },
  invalidsignatureexception: { kind: 'authentication', status: 403 },
  missingauthenticationtokenexception: { kind: 'authentication', status: 403 },
  unrecognizedclientexception: { kind: 'authentication', status: 403 },
  internalserverexception: { kind: 'other', status: 500 },
  modelerrorexception: { kind: 'other', status: 424 },
  modelnotreadyexception: { kind: 'overloaded', status: 429 },
  modelstreamerrorexception: { kind: 'other', status: 424 },
  modeltimeoutexception: { kind: 'other', status: 408 },
  resourcenotfoundexception: { kind: 'model-not-found', status: 404 },
  servicequotaexceededexception: { kind: 'quota-exhausted', status: 400 },
  serviceunavailableexception: { kind: 'overloaded', status: 503 },
  throttlingexception: { kind: 'rate-limited', status: 429 },
  toomanyrequestsexception: { kind: 'rate-limited', status: 429 },
  // Says by its message what is wrong, e.g. that the input is too long.
  validationexception: { status: 400 },
}

/** An answer outside 200-299: the exception's name stands in a header. */
export function readBedrockRejection(response: HttpResponse): ProviderErrorDetails {
  const body = response.text()
  // "ThrottlingException:http://internal.amazon.com/coral/com.amazon.bedrock/"
  const type = response.header('x-amzn-errortype')?.split(':')[0]
  const details = readBedrockError(type, body, response.status)
  const retryAfterMs = retryAfter(response)
  return { ...details, ...(retryAfterMs !== undefined && { retryAfterMs }) }
}

/** @param type The exception's name, where it is told. @param body JSON, or a text. @param status Of the answer. */
export function readBedrockError(
  type: string | undefined,
  body: string,
  status?: number,
): ProviderErrorDetails {
  const value = parseJson(body) ?? body
  const code = (type ?? typeIn(value))?.replace(/^.*#/, '')
  const name = code?.toLowerCase() ?? ''
  const known = Object.hasOwn(EXCEPTIONS, name) ? EXCEPTIONS[name] : undefined
  const details = errorFromValue(value, status ?? known?.status)
  return {
    ...details,
    ...(code !== undefined && { code }),
    ...(known?.kind !== undefined && { kind: known.kind }),
  }
}

function typeIn(value: unknown): string | undefined {
  const type = typeof value === 'object' && value !== null && '__type' in value ? value.__type : undefined
  return typeof type === 'string' ? type : undefined
}
