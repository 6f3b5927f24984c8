import { fileURLToPath } from 'node:url'

/** Absolute, without a slash at its end. */
export const repoRoot = fileURLToPath(new URL('../..', import.meta.url)).replace(/[/\\]$/, '')
