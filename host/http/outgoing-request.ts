import type { GuestHttpRequest } from '../contract/guest-values.ts'
import type { OutgoingRequest } from './egress.ts'

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
    maxRedirects: redirects(redirectPolicy),
  }
}

function redirects(policy: GuestHttpRequest['redirectPolicy']): number {
  switch (policy.tag) {
    case 'no-follow':
      return 0
    case 'follow-limit':
      return policy.val
    case 'follow-all':
      // The host's own limit applies.
      return Number.POSITIVE_INFINITY
    default:
      return policy satisfies never
  }
}
