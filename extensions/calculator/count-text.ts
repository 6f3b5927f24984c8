/** What a text has, one fact a line. Characters are code points. */
export function countText(text: string, find?: string): string {
  const words = text.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}'’-]*/gu) ?? []
  const lines = text === '' ? 0 : text.replace(/\n$/, '').split('\n').length
  const facts = [`characters: ${[...text].length}`, `words: ${words.length}`, `lines: ${lines}`]
  if (find !== undefined && find !== '') {
    const times = text.toLowerCase().split(find.toLowerCase()).length - 1
    facts.push(`"${find}": ${times === 1 ? 'once' : `${times} times`}`)
  }
  return facts.join('\n')
}
