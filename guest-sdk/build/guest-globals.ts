import { join } from 'node:path'

const runtime = join(import.meta.dirname, '../runtime')

/**
 * What QuickJS lacks and is of some size. Each is imported only into bundles that use it: bytes and the
 * snapshot's memory count.
 */
export const guestGlobals: Readonly<Record<string, [file: string, name: string]>> = {
  TextEncoder: [join(runtime, 'text-encoder.ts'), 'TextEncoder'],
  TextDecoder: [join(runtime, 'text-decoder.ts'), 'TextDecoder'],
  URL: [join(runtime, 'url.ts'), 'URL'],
  URLSearchParams: [join(runtime, 'url.ts'), 'URLSearchParams'],
  structuredClone: [join(runtime, 'structured-clone.ts'), 'structuredClone'],
}
