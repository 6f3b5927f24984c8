import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { type Entry, tarBytes } from './archive.ts'

export interface TestRegistry extends AsyncDisposable {
  url: string
  /** Paths that were asked for. */
  requests: string[]
  /** Resolves with the first request. */
  asked: Promise<void>
}

/** A registry on loopback with one version of each package, as far as `npm pack` needs one. */
export async function startRegistry(
  packages: Record<string, { version: string; entries: Entry[]; damaged?: boolean; silent?: boolean }>,
): Promise<TestRegistry> {
  const requests: string[] = []
  const asked = Promise.withResolvers<void>()
  const archives = new Map<string, Buffer>()
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '')
    requests.push(path)
    asked.resolve()
    const archive = archives.get(path)
    if (archive) return void response.end(archive)
    const found = packages[path.slice(1)]
    if (!found) return void response.writeHead(404, { 'content-type': 'application/json' }).end('{}')
    if (found.silent) return
    const name = path.slice(1)
    const bytes = gzipSync(tarBytes(found.entries))
    const file = `/${name}/-/${name.split('/').at(-1)}-${found.version}.tgz`
    archives.set(file, found.damaged ? Buffer.concat([bytes, Buffer.from('!')]) : bytes)
    const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`
    const version = { name, version: found.version, dist: { tarball: `${url}${file}`, integrity } }
    response.setHeader('content-type', 'application/json')
    response.end(
      JSON.stringify({
        name,
        'dist-tags': { latest: found.version },
        versions: { [found.version]: version },
        time: { [found.version]: '2020-01-01T00:00:00.000Z' },
      }),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    requests,
    asked: asked.promise,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
