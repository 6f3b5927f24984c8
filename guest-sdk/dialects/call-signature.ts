/**
 * Signatures stand on calls in two dialects: Gemini's own, and the chat dialect where a server passes Gemini's on. The
 * contract has no mark for who made one, so those of the chat dialect carry one; no signature, which is base64, has a
 * colon. Each dialect leaves out the other's.
 */
const CHAT = 'openai-chat:'

/** A signature that came by the chat dialect, as the caller keeps it. */
export function toChatSignature(signature: string): string {
  return CHAT + signature
}

/** As it came; undefined where another dialect wrote it. */
export function fromChatSignature(kept: string): string | undefined {
  return kept.startsWith(CHAT) ? kept.slice(CHAT.length) : undefined
}
