import { errorFromValue } from '../../http-error.ts'
import { isRecord } from '../../is-record.ts'
import { ProviderError } from '../../provider-error.ts'

/** The status that the API gives each of its errors; in a stream, where the status is 200, only the type says it. */
const STATUS: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  conflict_error: 409,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
}

/** The error that an event is, or holds: `{"type":"error","error":{"type":…,"message":…}}`. Undefined for others. */
export function readStreamError(event: Record<string, unknown>): ProviderError | undefined {
  const { error, type } = event
  if (type !== 'error' && (error === undefined || error === null)) return undefined
  const name = isRecord(error) && typeof error.type === 'string' ? error.type : ''
  const status = Object.hasOwn(STATUS, name) ? STATUS[name] : undefined
  return new ProviderError(errorFromValue(event, status))
}
