import { bytesToBase64 } from '../base64.ts'
import { sha256 } from '../sha256.ts'

/** Proof that whoever exchanges a code is who asked for it (RFC 7636). */
export interface Pkce {
  /** Goes with the exchange of the code, and nowhere before. */
  verifier: string
  /** Goes into the authorization URL. */
  challenge: string
  method: 'S256'
}

// RFC 7636, 4.1: "a 32-octet sequence", which makes the shortest verifier that is allowed: 43 characters.
const RANDOM_BYTES = 32

/** A new one for each sign-in. Its randomness is the host's. */
export function createPkce(): Pkce {
  const verifier = randomText()
  return { verifier, challenge: pkceChallenge(verifier), method: 'S256' }
}

/** RFC 7636, 4.2: BASE64URL(SHA256(ASCII(verifier))). `plain` is not offered: it proves nothing. */
export function pkceChallenge(verifier: string): string {
  return bytesToBase64(sha256(verifier), { alphabet: 'base64url' })
}

/**
 * A new mark for each sign-in, which the redirect has to bring back (RFC 6749, 10.12). The host takes it from the
 * authorization URL and lets nothing through without it.
 */
export function createState(): string {
  return randomText()
}

function randomText(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(RANDOM_BYTES))
  return bytesToBase64(bytes, { alphabet: 'base64url' })
}
