/** Longest path of an entry; leaves room for the folder that it is unpacked in. */
const MAX_PATH_CHARS = 300

export interface ArchiveNames {
  /** The name as a plain relative path (empty for the root), and what is wrong with it. */
  add(name: string, isFolder: boolean): { path: string; problem?: string }
}

/**
 * Collects the names of one archive. A name is wrong where it could lead out of the folder, or where two entries
 * would meet on some file system: then what is checked need not be what is written.
 */
export function createArchiveNames(): ArchiveNames {
  /** By the spelling that file systems without case and normal forms would use. */
  const seen = new Map<string, 'file' | 'folder'>()
  return {
    add(name, isFolder) {
      const path = name.replace(/^(\.\/)+/, '').replace(/\/+$/, '')
      if (isFolder && (path === '' || path === '.')) return { path: '' }
      const problem = nameProblem(path)
      if (problem) return { path, problem }
      const folded = path.normalize('NFC').toLowerCase()
      const present = seen.get(folded)
      if (present === 'file' || (present === 'folder' && !isFolder))
        return { path, problem: 'is there twice' }
      seen.set(folded, isFolder ? 'folder' : 'file')
      for (let at = folded.lastIndexOf('/'); at > 0; at = folded.lastIndexOf('/', at - 1)) {
        const parent = folded.slice(0, at)
        if (seen.get(parent) === 'file') return { path, problem: 'lies inside a file' }
        seen.set(parent, 'folder')
      }
      return { path }
    },
  }
}

function nameProblem(path: string): string | undefined {
  if (path.length > MAX_PATH_CHARS) return `has a name of more than ${MAX_PATH_CHARS} characters`
  if (/[\p{Cc}\p{Cf}\\:]/u.test(path)) return 'has a control character, a backslash or a colon in its name'
  if (path.startsWith('/')) return 'is an absolute path'
  const parts = path.split('/')
  if (parts.includes('..')) return 'leads out of its folder'
  if (parts.some(part => part === '' || part === '.' || /[. ]$/.test(part)))
    return 'has a part that is empty, a dot, or ends in a dot or a space'
  return undefined
}
