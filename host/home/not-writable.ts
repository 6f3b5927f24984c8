import { AirlockError } from '../errors.ts'

/** What the system says of a folder that nothing can be put into, as an error that names the way out. */
export function notWritable(folder: string, cause: unknown): AirlockError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new AirlockError(
    'not-writable',
    `Cannot write in ${folder}: ${reason}. Make it writable, or name another folder with AIRLOCK_HOME`,
    { cause },
  )
}
