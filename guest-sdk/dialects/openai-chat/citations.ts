import type { Citation, Emit } from '../../events.ts'
import { isRecord } from '../../is-record.ts'

/**
 * Finds the sources of an answer: annotations of a delta, or lists beside the choices that come again with every
 * chunk. Each source is told once.
 */
export function createCitations(): (chunk: Record<string, unknown>, delta: unknown, emit: Emit) => void {
  const told = new Set<string>()
  return (chunk, delta, emit) => {
    const annotations = isRecord(delta) ? delta.annotations : undefined
    const listed = Array.isArray(chunk.search_results) ? chunk.search_results : chunk.citations
    for (const sources of [annotations, listed]) {
      if (!Array.isArray(sources)) continue
      for (const source of sources) {
        const citation = readCitation(source)
        if (!citation) continue
        // Lists repeat what annotations told in more words.
        const key = sources === listed ? (citation.url ?? '') : JSON.stringify(citation)
        if (told.has(key)) continue
        told.add(key)
        if (citation.url !== undefined) told.add(citation.url)
        emit({ type: 'citation', ...citation })
      }
    }
  }
}

function readCitation(source: unknown): Citation | undefined {
  if (typeof source === 'string') return source === '' ? undefined : { url: source }
  if (!isRecord(source)) return undefined
  const fields = isRecord(source.url_citation) ? source.url_citation : source
  const url = text(fields.url)
  const title = text(fields.title)
  const quoted = text(fields.content) ?? text(fields.snippet) ?? text(fields.text)
  if (url === undefined && title === undefined && quoted === undefined) return undefined
  return {
    ...(url !== undefined && { url }),
    ...(title !== undefined && { title }),
    ...(quoted !== undefined && { text: quoted }),
  }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
