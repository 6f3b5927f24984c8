import type { Citation, Emit } from '../../events.ts'
import { isRecord } from '../../is-record.ts'
import { readText } from '../json-value.ts'

/** Tells the sources of a candidate: `groundingMetadata` and `citationMetadata`, which come again in later chunks. Each once. */
export function createCitations(): (candidate: Record<string, unknown>, emit: Emit) => void {
  const told = new Set<string>()
  return (candidate, emit) => {
    const { groundingMetadata: grounding, citationMetadata: cited } = candidate
    const chunks =
      isRecord(grounding) && Array.isArray(grounding.groundingChunks) ? grounding.groundingChunks : []
    const sources = isRecord(cited) ? (cited.citationSources ?? cited.citations) : []
    for (const source of [...chunks, ...(Array.isArray(sources) ? sources : [])]) {
      const citation = readCitation(source)
      const key = JSON.stringify(citation)
      if (citation === undefined || told.has(key)) continue
      told.add(key)
      emit({ type: 'citation', ...citation })
    }
  }
}

function readCitation(source: unknown): Citation | undefined {
  if (!isRecord(source)) return undefined
  const fields = [source.web, source.retrievedContext, source.maps, source.image].find(isRecord) ?? source
  const url = readText(fields.uri) ?? readText(fields.sourceUri)
  const title = readText(fields.title)
  const text = readText(fields.text)
  if (url === undefined && title === undefined && text === undefined) return undefined
  return {
    ...(url !== undefined && { url }),
    ...(title !== undefined && { title }),
    ...(text !== undefined && { text }),
  }
}
