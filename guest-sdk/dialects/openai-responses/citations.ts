import type { Citation, Emit } from '../../events.ts'
import { isRecord } from '../../is-record.ts'
import { readText } from '../json-value.ts'

/** Tells the sources of a text. They come as events, and again with the whole text: each is told once. */
export function createCitations(): (annotations: unknown, emit: Emit) => void {
  const told = new Set<string>()
  return (annotations, emit) => {
    for (const annotation of Array.isArray(annotations) ? annotations : [annotations]) {
      const citation = readCitation(annotation)
      const key = JSON.stringify(citation)
      if (citation === undefined || told.has(key)) continue
      told.add(key)
      emit({ type: 'citation', ...citation })
    }
  }
}

function readCitation(annotation: unknown): Citation | undefined {
  if (!isRecord(annotation)) return undefined
  const source = isRecord(annotation.url_citation) ? annotation.url_citation : annotation
  const url = readText(source.url)
  // Of a file there is a name, or only its id.
  const title = readText(source.title) ?? readText(source.filename) ?? readText(source.file_id)
  const text = readText(source.quote) ?? readText(source.text)
  if (url === undefined && title === undefined && text === undefined) return undefined
  return {
    ...(url !== undefined && { url }),
    ...(title !== undefined && { title }),
    ...(text !== undefined && { text }),
  }
}
