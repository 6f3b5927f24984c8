import type { GuestHttpRequest } from '../contract/guest-values.ts'
import type { OutgoingRequest } from '../http/egress.ts'

/** A guest's request as the egress takes it. */
export function toOutgoingRequest({
  method,
  url,
  headers,
  body,
  redirectPolicy,
}: GuestHttpRequest): OutgoingRequest {
  return {
    method: method.toUpperCase(),
    url,
    headers,
    ...(body && { body }),
    ...(redirectPolicy.tag === 'no-follow' && { maxRedirects: 0 }),
    ...(redirectPolicy.tag === 'follow-limit' && { maxRedirects: redirectPolicy.val }),
  }
}
