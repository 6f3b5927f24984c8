import { judgeQuery, type Verdict } from './callback-request.ts'

/** What a user pasted, read as the answer of a sign-in. */
export type PastedRedirect =
  | { kind: 'answer' | 'error'; query: URLSearchParams; verdict: Exclude<Verdict, { kind: 'ignored' }> }
  /** `advice` says what to paste instead. */
  | { kind: 'unusable'; advice: string }

// Longer than any URL that a browser shows.
const MAX_CHARACTERS = 64 * 1024

// The address that was opened has the right state too; copying it is the likeliest mistake.
const REQUEST_PARAMETERS = ['redirect_uri', 'response_type', 'client_id', 'code_challenge']
const NO_CODE =
  'it brings no code; paste the address that the browser ended on after you signed in, not the one that was opened'

/**
 * Reads what a person copied from a browser that could not reach this machine: the whole address it ended on, its
 * query alone, or the `code#state` that some services show on a page of their own. Where the sign-in has no state,
 * a bare code will do.
 */
export function readPastedRedirect(text: string, state: string | undefined): PastedRedirect {
  if (text.length > MAX_CHARACTERS) return unusable('that is too long to be an address')
  // Terminals mark a paste with escape sequences, and break long lines; neither belongs to an address.
  const pasted = text
    .replace(/\u001b\[20[01]~/g, '')
    .replace(/[\s\u0000-\u001f\u007f]+/g, '')
    .replace(/^["'<]+|["'>]+$/g, '')
  if (pasted === '') return unusable('nothing was pasted')
  const query = readQuery(pasted, state)
  if (query === undefined) {
    return unusable(
      'paste the whole address that the browser ended on, or the code with the "#" and what follows it',
    )
  }
  if (REQUEST_PARAMETERS.some(name => query.has(name))) return unusable(NO_CODE)
  const verdict = judgeQuery(query, state)
  if (verdict.kind !== 'ignored') return { kind: verdict.kind, query, verdict }
  switch (verdict.reason) {
    case 'wrong-state':
      return unusable('it belongs to another sign-in; use the page that was opened for this one')
    case 'missing-state':
      return unusable('it carries no state; paste the whole address, up to its end')
    default:
      return unusable(NO_CODE)
  }
}

function readQuery(pasted: string, state: string | undefined): URLSearchParams | undefined {
  if (/^https?:\/\//i.test(pasted)) return URL.parse(pasted)?.searchParams
  // An address without its scheme, as some browsers copy it: 127.0.0.1:4321/callback?code=...
  const mark = pasted.indexOf('?')
  if (mark !== -1) return new URLSearchParams(pasted.slice(mark + 1).replace(/#.*$/, ''))
  if (/^(code|state|error)=/.test(pasted)) return new URLSearchParams(pasted.replace(/#.*$/, ''))
  const hash = pasted.indexOf('#')
  if (hash > 0) {
    return new URLSearchParams({ code: pasted.slice(0, hash), state: pasted.slice(hash + 1) })
  }
  return state === undefined && hash === -1 ? new URLSearchParams({ code: pasted }) : undefined
}

function unusable(advice: string): PastedRedirect {
  return { kind: 'unusable', advice }
}
