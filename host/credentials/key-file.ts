import { randomBytes } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { keepPrivate, replaceFile } from './replace-file.ts'

/** Master keys in files beside what they lock. No better than the files' own rights. */
export interface KeyFiles {
  /** Undefined where there is none of that id, or it is not what was written here. */
  read(id: string): Promise<Buffer | undefined>
  create(id: string): Promise<Buffer>
  remove(id: string): Promise<void>
  pathOf(id: string): string
}

export function createKeyFiles(folder: string): KeyFiles {
  const pathOf = (id: string) => join(folder, `key-${id}`)
  return {
    pathOf,
    async read(id) {
      let text: string
      try {
        text = await readFile(pathOf(id), 'utf8')
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
        throw error
      }
      await keepPrivate(pathOf(id), 0o600)
      return /^[0-9a-f]{64}\n$/.test(text) ? Buffer.from(text.trim(), 'hex') : undefined
    },
    async create(id) {
      const key = randomBytes(32)
      await replaceFile(pathOf(id), `${key.toString('hex')}\n`)
      return key
    },
    remove: id => rm(pathOf(id), { force: true }),
  }
}
