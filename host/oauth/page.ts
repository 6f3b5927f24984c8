import { createHash } from 'node:crypto'

/** What a page in the browser says. All text is escaped here. */
export interface CallbackPage {
  tone: 'good' | 'bad' | 'neutral'
  title: string
  paragraphs: readonly string[]
  /** Said by a service: set apart, so that nobody takes it for the host's words. */
  quote?: string
}

const STYLE = `
:root { color-scheme: light dark; --ink: #1c1e21; --soft: #5b6068; --paper: #f5f5f3; --card: #fff; --line: #dddcd8;
  --good: #1d7a46; --bad: #b3261e; --neutral: #5b6068 }
@media (prefers-color-scheme: dark) { :root { --ink: #eceae6; --soft: #a5a39d; --paper: #17181a; --card: #202224;
  --line: #37393c; --good: #5fc58c; --bad: #ff8a80; --neutral: #a5a39d } }
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.5rem; background: var(--paper);
  color: var(--ink); font: 1rem/1.55 system-ui, sans-serif }
main { width: 100%; max-width: 30rem; padding: 2rem; background: var(--card); border: 1px solid var(--line);
  border-top: 4px solid var(--tone); border-radius: 8px }
.good { --tone: var(--good) } .bad { --tone: var(--bad) } .neutral { --tone: var(--neutral) }
h1 { margin: 0 0 .75rem; font-size: 1.35rem; line-height: 1.3; text-wrap: balance }
p { margin: 0 0 .75rem; color: var(--soft) }
blockquote { margin: 0 0 .75rem; padding: .5rem .75rem; border-left: 3px solid var(--line); overflow-wrap: anywhere }
footer { margin-top: 1.25rem; color: var(--soft); font-size: .85rem }
`

/**
 * Nothing may be loaded, run, framed or sent from a page that a stranger's text stands on; the one style is named by
 * its digest. It reads well without it, too.
 */
export const PAGE_SECURITY_POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** The whole page: no script, nothing fetched. */
export function renderPage(page: CallbackPage, appName: string): string {
  const { tone, title, paragraphs, quote } = page
  const [first = '', ...rest] = paragraphs
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)} - ${escapeHtml(appName)}</title>
<style>${STYLE}</style>
</head>
<body>
<main class="${tone}">
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(first)}</p>
${quote === undefined ? '' : `<blockquote>${escapeHtml(quote)}</blockquote>\n`}${rest.map(text => `<p>${escapeHtml(text)}</p>\n`).join('')}<footer>${escapeHtml(appName)}, on this computer</footer>
</main>
</body>
</html>
`
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, character => ENTITIES[character] ?? '')
}
