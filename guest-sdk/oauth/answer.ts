import { findErrorText } from '../error-text.ts'
import { errorFromResponse, errorFromValue, retryAfter } from '../http-error.ts'
import { createHttpResponse, type HttpResponse } from '../http-response.ts'
import { ProviderError, type ProviderErrorDetails } from '../provider-error.ts'
import { isObject, type JsonObject } from '../read-json.ts'
import { oauthError } from './error.ts'
import { decodeForm } from './form.ts'

/** What an endpoint answered: its fields, or the error it names, whatever status stood above either. */
export type OAuthAnswer =
  | { fields: JsonObject; error?: undefined }
  | { fields: JsonObject; error: string; failure: ProviderError }

/**
 * Reads JSON and form-encoded answers alike, by what they are rather than by their content type. An error counts
 * before anything else in the answer: GitHub sends its errors with status 200.
 * @param action for messages: `exchange the code`
 * @throws {ProviderError} where the answer is neither, e.g. an HTML page. Holds nothing of the body but a page's title.
 */
export function readAnswer(response: HttpResponse, action: string): OAuthAnswer {
  const fields = readFields(response.text())
  const { status } = response
  if (fields === undefined) {
    if (!response.ok) throw failed(errorFromResponse(withoutText(response)), action)
    throw new ProviderError({
      kind: 'other',
      status,
      message: `Cannot ${action}: the answer is neither JSON nor a form: ${describe(response)}`,
    })
  }
  const named = readError(fields)
  if (named !== undefined) {
    const failure = oauthError(action, named.error, {
      description: named.description,
      status,
      retryAfterMs: retryAfter(response),
      otherwise: errorFromValue(fields, response.ok ? undefined : status).kind,
    })
    return { fields, error: named.error, failure }
  }
  if (!response.ok) {
    const retryAfterMs = retryAfter(response)
    throw failed(
      { ...errorFromValue(fields, status), ...(retryAfterMs !== undefined && { retryAfterMs }) },
      action,
    )
  }
  return { fields }
}

function readFields(text: string): JsonObject | undefined {
  const trimmed = text.replace(/^\ufeff/, '').trim()
  if (trimmed.startsWith('{')) {
    try {
      const value: unknown = JSON.parse(trimmed)
      return isObject(value) ? value : undefined
    } catch {
      return undefined
    }
  }
  // A form has no white space and no markup: `access_token=...&scope=...`.
  if (!/^[\w.~%+-]+=[^\s<>{}"]*$/.test(trimmed)) return undefined
  // The first of two wins; `__proto__` must stay a field.
  return Object.fromEntries(decodeForm(trimmed).reverse()) as JsonObject
}

function readError(fields: JsonObject): { error: string; description: string | undefined } | undefined {
  const { error, error_description: described } = fields
  if (error === undefined || error === null || error === '' || error === false) return undefined
  const description = typeof described === 'string' ? described : undefined
  if (typeof error === 'string') return { error, description }
  // Not of the standard: { "error": { "code": "...", "message": "..." } }.
  const { names, message } = findErrorText(fields)
  return { error: names[0] ?? 'error', description: description ?? message }
}

function failed(details: ProviderErrorDetails, action: string): ProviderError {
  return new ProviderError({ ...details, message: `Cannot ${action}: ${details.message}` })
}

/** The text of an answer that cannot be read may hold a token, so nothing of it but a page's title is quoted. */
function withoutText(response: HttpResponse): HttpResponse {
  const { status, headers } = response
  return createHttpResponse({ status, headers, body: pageTitle(response.text()) ?? '' })
}

function describe(response: HttpResponse): string {
  const type = (response.header('content-type') ?? 'no content type').slice(0, 60)
  const text = response.text().trim()
  const what = text === '' ? 'it is empty' : (pageTitle(text) ?? 'it is something else')
  return `${what} (status ${response.status}, ${type})`
}

function pageTitle(text: string): string | undefined {
  if (!/^\s*<|<\/(html|body|head)>/i.test(text)) return undefined
  return findErrorText(text).message?.startsWith('The service answered with a web page')
    ? findErrorText(text).message
    : 'The service answered with a web page'
}
