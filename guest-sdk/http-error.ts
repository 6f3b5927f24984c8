import { findErrorText } from './error-text.ts'
import type { HttpResponse } from './http-response.ts'
import type { ProviderErrorDetails, ProviderErrorKind } from './provider-error.ts'

/**
 * What an answer outside 200-299 means: the kind by the service's code where it is a known one, else by
 * status and message; the message from where services put it. The default of `reject`.
 */
export function errorFromResponse(response: HttpResponse): ProviderErrorDetails {
  const details = errorFromValue(response.text(), response.status)
  const retryAfterMs = retryAfter(response) ?? details.retryAfterMs
  return { ...details, ...(retryAfterMs !== undefined && { retryAfterMs }) }
}

/**
 * What an error that arrived as a value means: the text of a body, a parsed one, or the `error` inside a
 * stream's frame. `status` is the HTTP status, where it says something of this error.
 */
export function errorFromValue(value: unknown, status?: number): ProviderErrorDetails {
  const found = findErrorText(value)
  const effective = status ?? found.status
  const message =
    found.message ??
    (effective === undefined
      ? 'The service reported an error'
      : `The service answered with status ${effective}`)
  const code = found.names[0]
  return {
    kind: classify(effective, found.names, message),
    message,
    ...(effective !== undefined && { status: effective }),
    ...(code !== undefined && { code }),
    ...(found.retryAfterMs !== undefined && { retryAfterMs: found.retryAfterMs }),
  }
}

/**
 * Milliseconds the service asked to wait, by `retry-after-ms`, else `retry-after` in seconds or as a date.
 * A date that has passed is 0; what is neither is undefined.
 */
export function retryAfter(response: Pick<HttpResponse, 'header'>): number | undefined {
  const milliseconds = response.header('retry-after-ms')?.trim()
  if (milliseconds !== undefined && NUMBER.test(milliseconds)) return Math.ceil(Number(milliseconds))
  const after = response.header('retry-after')?.trim() ?? ''
  if (NUMBER.test(after)) return Math.ceil(Number(after) * 1000)
  // Date.parse makes a year of "-1" and of other oddities: a date names its month, or is written as in RFC 3339.
  const isDate = /[a-z]{3}/i.test(after) || /^\d{4}-\d\d-\d\dT/.test(after)
  const date = isDate ? Date.parse(after) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now())
}

const NUMBER = /^\d+(\.\d+)?$/

/** Codes, types and status names of the services, lower case. They decide before status and message do. */
const KIND_BY_NAME: Readonly<Record<string, ProviderErrorKind>> = {
  authentication_error: 'authentication',
  unauthenticated: 'authentication',
  unauthorized: 'authentication',
  invalid_api_key: 'authentication',
  api_key_invalid: 'authentication',
  invalid_authentication: 'authentication',
  invalid_token: 'authentication',
  token_expired: 'authentication',
  expired_token: 'authentication',
  permission_error: 'permission',
  permission_denied: 'permission',
  access_denied: 'permission',
  forbidden: 'permission',
  unsupported_country_region_territory: 'permission',
  insufficient_quota: 'quota-exhausted',
  quota_exceeded: 'quota-exhausted',
  billing_error: 'quota-exhausted',
  billing_hard_limit_reached: 'quota-exhausted',
  billing_not_active: 'quota-exhausted',
  insufficient_balance: 'quota-exhausted',
  insufficient_credits: 'quota-exhausted',
  insufficient_funds: 'quota-exhausted',
  payment_required: 'quota-exhausted',
  usage_limit_reached: 'quota-exhausted',
  rate_limit_exceeded: 'rate-limited',
  rate_limit_error: 'rate-limited',
  rate_limit: 'rate-limited',
  rate_limited: 'rate-limited',
  too_many_requests: 'rate-limited',
  resource_exhausted: 'rate-limited',
  throttlingexception: 'rate-limited',
  overloaded_error: 'overloaded',
  overloaded: 'overloaded',
  server_overloaded: 'overloaded',
  engine_overloaded: 'overloaded',
  engine_overloaded_error: 'overloaded',
  model_overloaded: 'overloaded',
  service_tier_capacity_exceeded: 'overloaded',
  unreachable_backend: 'overloaded',
  service_unavailable: 'overloaded',
  serviceunavailableexception: 'overloaded',
  unavailable: 'overloaded',
  slow_down: 'overloaded',
  context_length_exceeded: 'context-length-exceeded',
  context_window_exceeded: 'context-length-exceeded',
  model_not_found: 'model-not-found',
  model_not_supported: 'model-not-found',
  deploymentnotfound: 'model-not-found',
  content_filter: 'content-filtered',
  content_policy_violation: 'content-filtered',
  responsibleaipolicyviolation: 'content-filtered',
  moderation_blocked: 'content-filtered',
  data_inspection_failed: 'content-filtered',
  unimplemented: 'unsupported',
  not_implemented: 'unsupported',
}

const QUOTA =
  /insufficient.{0,12}(quota|balance|credit|fund)|exceeded your current quota|out of credits?|credit balance is too low|more credits/i
const API_KEY =
  /api[ _-]?key.{0,40}(not valid|invalid|missing|incorrect|expired|required)|(invalid|incorrect|missing|no) .{0,16}api[ _-]?key/i
const CONTEXT =
  /context[ _-]?(length|window|size)|maximum context|(prompt|input|request) (is )?too (long|large)|too many (input |prompt )?tokens|(exceeds?|exceeded|over) .{0,40}(token|context) (limit|count|length)|(token|context) (limit|count|length).{0,20} exceed/i

function classify(status: number | undefined, names: readonly string[], message: string): ProviderErrorKind {
  for (const name of names) {
    const lower = name.toLowerCase()
    if (Object.hasOwn(KIND_BY_NAME, lower)) return KIND_BY_NAME[lower]!
  }
  // Services word some causes in a message under a status that says less.
  const vague = status === undefined || status === 400 || status === 413 || status === 422
  if ((vague || status === 403 || status === 429) && QUOTA.test(message)) return 'quota-exhausted'
  if ((vague || status === 403) && API_KEY.test(message)) return 'authentication'
  if (vague && CONTEXT.test(message)) return 'context-length-exceeded'
  if (status === 404 || vague) {
    if (names.some(name => /^not_?found(_error)?$/i.test(name)) || status === 404) {
      return /model|deployment|engine/i.test(message) ? 'model-not-found' : 'invalid-request'
    }
  }
  return status === undefined ? 'other' : kindOfStatus(status)
}

function kindOfStatus(status: number): ProviderErrorKind {
  switch (status) {
    case 401:
      return 'authentication'
    case 402:
      return 'quota-exhausted'
    case 403:
    case 451:
      return 'permission'
    case 429:
      return 'rate-limited'
    case 501:
      return 'unsupported'
    // A proxy in front of the service that gets no answer from it says so in these, Cloudflare from 520 to 524.
    case 502:
    case 503:
    case 504:
    case 520:
    case 521:
    case 522:
    case 523:
    case 524:
    case 529:
      return 'overloaded'
    // Worth a repeat, so not the request's fault.
    case 408:
    case 409:
    case 425:
      return 'other'
    default:
      return status >= 400 && status <= 499 ? 'invalid-request' : 'other'
  }
}
