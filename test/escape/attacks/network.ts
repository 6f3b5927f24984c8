import { type Attack, stoppedBy } from '../attack.ts'
import type { Stage } from '../stage.ts'

/** What the guest was told of each of its calls; all must have been refused. */
async function allRefused(stage: Stage): Promise<string> {
  const outcomes = (await stage.models()).map(model => model.name)
  if (outcomes.length === 0) throw new Error('nothing was tried')
  for (const outcome of outcomes)
    if (!outcome.startsWith('error ')) throw new Error(`it went through: ${outcome}`)
  return outcomes[0]!.slice('error '.length)
}

const tryAll = (urls: string) => `{ models: id => report(...${urls}.flatMap(url => [
  outcome(() => fetch(get(url))), outcome(() => fetchFallible(get(url))), outcome(() => fetchStream(get(url))),
  outcome(() => oauthSendHttpRequest(get(url)))])) }`

export const networkAttacks: Attack[] = [
  {
    id: 'undeclared-origin',
    tries: 'fetch an origin that its manifest does not name',
    guest: tryAll(`[canary(id), 'https://undeclared.example/', 'http://service.example@127.0.0.1/']`),
    run: allRefused,
  },
  {
    id: 'undeclared-completion',
    tries: 'have a completion sent to an origin that its manifest does not name',
    guest: '{ request: id => get(canary(id)) }',
    run: async stage => stoppedBy(await stage.completionError()),
  },
  {
    id: 'redirect',
    tries: 'be redirected by its own service to an undeclared origin',
    guest: `{ models: id => report(outcome(() => fetch(get(service(id)))), outcome(() => fetchFallible(get(service(id))))) }`,
    async run(stage) {
      for (const status of [301, 302, 303, 307, 308]) {
        stage.answers({ status, headers: { location: `${stage.canary.url}/stolen` } })
        await allRefused(stage)
      }
      return stoppedBy(await stage.completionError())
    },
  },
  {
    id: 'dns-private',
    tries: 'reach this machine through a name of its own that resolves to it',
    permissions: ({ port }) => ({ network: [`http://evil.example:${port}`] }),
    guest: tryAll(`[canary(id).replace('127.0.0.1', 'evil.example')]`),
    async run(stage) {
      stage.names.set('evil.example', [['127.0.0.1']])
      return allRefused(stage)
    },
  },
  {
    id: 'dns-rebinding',
    tries: 'change what its name resolves to from one request to the next',
    permissions: ({ port }) => ({ network: [`http://evil.example:${port}`] }),
    guest: tryAll(
      `[canary(id).replace('127.0.0.1', 'evil.example'), canary(id).replace('127.0.0.1', 'evil.example')]`,
    ),
    async run(stage) {
      const answers = [
        '169.254.169.254',
        '::ffff:127.0.0.1',
        '0.0.0.0',
        '::1',
        '10.0.0.1',
        'fd00::1',
        '127.0.0.1',
      ]
      stage.names.set(
        'evil.example',
        answers.map(address => [address]),
      )
      return allRefused(stage)
    },
  },
  {
    id: 'raw-addresses',
    tries: 'write the address of this machine in eleven ways',
    permissions: ({ port }) => ({ network: [`http://127.0.0.1:${port}`, `http://localhost:${port}`] }),
    guest: `{ models: id => report(...['127.0.0.1', '127.1', '2130706433', '0x7f000001', '0177.0.0.1', '0x7f.0.0.1',
      'localhost', 'LOCALHOST.', '[::1]', '[::ffff:7f00:1]', '0.0.0.0'].map(host =>
        outcome(() => fetch(get(canary(id).replace('127.0.0.1', host)))))) }`,
    run: allRefused,
  },
  {
    id: 'metadata',
    tries: "reach the cloud's metadata service, which it was even granted",
    permissions: () => ({ network: ['http://169.254.169.254', 'http://metadata.example'] }),
    guest: tryAll(
      `['http://169.254.169.254/latest/meta-data/', 'http://metadata.example/', 'http://0xa9fea9fe/']`,
    ),
    async run(stage) {
      stage.names.set('metadata.example', [['169.254.169.254']])
      return allRefused(stage)
    },
  },
  {
    id: 'other-schemes',
    tries: 'fetch file:, data:, ftp:, blob: and unix sockets',
    guest: tryAll(
      `['file:///etc/passwd', 'data:text/plain,x', 'ftp://127.0.0.1/', 'blob:null/x', 'unix:/run/x', '', 'x', '\\u0000']`,
    ),
    run: allRefused,
  },
  {
    id: 'smuggled-headers',
    tries: 'set the headers that frame and route a request',
    guest: `{ models: id => report(...[['host', 'x'], ['Transfer-Encoding', 'chunked'], ['content-length', '0'], ['connection', 'upgrade'],
      ['cookie', 'a=b'], ['proxy-authorization', 'x'], ['te', 'trailers'], ['upgrade', 'h2c'], ['expect', '100-continue'], ['trailer', 'x'],
      ['keep-alive', 'x']].map(header => outcome(() => fetch(get(service(id), [header]))))) }`,
    async run(stage) {
      const stopped = await allRefused(stage)
      if (stage.service.requests.length > 0) throw new Error('a request was sent')
      return stopped
    },
  },
  {
    id: 'header-injection',
    tries: 'put line breaks into header names, values and the URL',
    guest: `{ models: id => report(...[['x', 'a\\r\\nhost: evil'], ['x', 'a\\nb'], ['x', 'a\\u0000'], ['x\\r\\ny', 'a'], ['', 'a'], ['x y', 'a'],
      ['x', 'é\\u010a'], ['x', 'a'.repeat(20000)]].map(header => outcome(() => fetch(get(service(id), [header]))))) }`,
    async run(stage) {
      const stopped = await allRefused(stage)
      if (stage.service.requests.length > 0) throw new Error('a request was sent')
      return stopped
    },
  },
]
