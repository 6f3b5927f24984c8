import { errorFromValue } from '../../http-error.ts'
import { isRecord } from '../../is-record.ts'
import { ProviderError, type ProviderErrorDetails, type ProviderErrorKind } from '../../provider-error.ts'

/** The status that each code has where it is no event of a stream, whose own status is 200. */
const STATUS: Readonly<Record<string, number>> = {
  invalid_api_key: 401,
  insufficient_quota: 429,
  rate_limit_exceeded: 429,
  server_error: 500,
  server_is_overloaded: 503,
  slow_down: 503,
  vector_store_timeout: 504,
  context_length_exceeded: 400,
  invalid_prompt: 400,
  data_residency_mismatch: 400,
  bio_policy: 400,
  cyber_policy: 400,
  image_content_policy_violation: 400,
  invalid_image: 400,
  invalid_image_format: 400,
  invalid_base64_image: 400,
  invalid_image_url: 400,
  invalid_image_mode: 400,
  image_too_large: 400,
  image_too_small: 400,
  image_parse_error: 400,
  image_file_too_large: 400,
  image_file_not_found: 400,
  unsupported_image_media_type: 400,
  empty_image_file: 400,
  failed_to_download_image: 400,
}

/** Where a code says more than its status does. */
const KIND: Readonly<Record<string, ProviderErrorKind>> = {
  server_is_overloaded: 'overloaded',
  bio_policy: 'content-filtered',
  cyber_policy: 'content-filtered',
  image_content_policy_violation: 'content-filtered',
}

/**
 * The error that an event is, or holds: `{"type":"error",…}` with the error's fields inside `error` or beside it, or
 * an object that has those of an error and none of an answer. Undefined for others.
 */
export function readStreamError(
  event: Record<string, unknown>,
  type: string | undefined,
): ProviderError | undefined {
  const { error } = event
  if (type === 'error' || isRecord(error) || (typeof error === 'string' && error !== '')) {
    return toError(event)
  }
  if (type !== undefined || event.object === 'response') return undefined
  const says = [event.message, event.detail, event.errors, event.msg, event.title]
  return says.some(value => (typeof value === 'string' && value !== '') || Array.isArray(value))
    ? toError(event)
    : undefined
}

/** The error of a response that failed. */
export function readFailure(response: Record<string, unknown>): ProviderError {
  if (isRecord(response.error)) return toError({ error: response.error })
  const status = String(response.status ?? 'failed')
  return new ProviderError({
    kind: 'other',
    code: status,
    message: `The service broke off its answer: its status is "${status}"`,
  })
}

function toError(value: Record<string, unknown>): ProviderError {
  const { code } = isRecord(value.error) ? value.error : value
  const known = typeof code === 'string' && Object.hasOwn(STATUS, code) ? STATUS[code] : undefined
  const details: ProviderErrorDetails = errorFromValue(value, known)
  const kind = typeof code === 'string' && Object.hasOwn(KIND, code) ? KIND[code] : undefined
  const retryAfterMs = details.retryAfterMs ?? waitInWords(details)
  return new ProviderError({
    ...details,
    ...(kind && { kind }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  })
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

/** "Please try again in 6m0.5s": inside a stream no header says it. */
function waitInWords({ kind, message }: ProviderErrorDetails): number | undefined {
  if (kind !== 'rate-limited' && kind !== 'overloaded') return undefined
  const words = /try again in ((?:\d+(?:\.\d+)?(?:ms|h|m|s)\s?)+)/i.exec(message)?.[1]
  if (words === undefined) return undefined
  const pieces = words.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/gi)
  return Math.ceil(
    [...pieces].reduce((sum, [, n, unit]) => sum + Number(n) * UNIT_MS[unit!.toLowerCase()]!, 0),
  )
}
