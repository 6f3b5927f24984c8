import { CONTRACT } from '../componentize.ts'

/** What to type next, indented. */
export const providerSteps = (id: string, folder: string) => `  npx airlock-sdk build ${folder}
  npx airlock install ${folder}
  npx airlock complete -m ${id}/parrot "Hello"`

/** The files of a new extension that brings a provider. */
export const providerFiles = (id: string, name: string, folder: string): Record<string, string> => ({
  'extension.json': manifest(id, name),
  'provider.ts': provider(id, name),
  'README.md': readme(id, name, folder),
})

const manifest = (id: string, name: string) => `{
  "id": "${id}",
  "name": "${name}",
  "version": "0.1.0",
  "contract": "${CONTRACT}",
  "component": "dist/${id}.wasm",
  "providers": [{ "id": "${id}", "name": "${name}" }],
  "permissions": { "network": [], "env": [], "credentials": "use", "browser": [], "memoryMiB": 64 }
}
`

const provider = (id: string, name: string) => `import { defineProvider } from '@airlock/guest-sdk'

export default defineProvider({
  id: '${id}',
  name: '${name}',

  models() {
    return [{ id: 'parrot', name: 'Parrot', maxTokenCount: 8192 }]
  },

  // Answers by itself. A provider that asks a service has request() and decode() instead: see README.md.
  *respond(request) {
    const parts = request.messages.at(-1)?.content ?? []
    const said = parts.map(part => (part.type === 'text' ? part.text : '')).join('')
    const words = \`You said: \${said}\`.split(/(?<= )/)
    for (const text of words) yield { type: 'text', text }
    yield { type: 'usage', inputTokens: said.split(' ').length, outputTokens: words.length }
    yield { type: 'stop', reason: 'end-turn' }
  },
})
`

const readme = (id: string, name: string, folder: string) => `# ${name}

An extension for Airlock. Build it, install it, ask it:

\`\`\`sh
${providerSteps(id, folder).replaceAll(/^ {2}/gm, '')}
\`\`\`

\`provider.ts\` is all of it. To ask a service instead of answering by itself, name its origin under
\`permissions.network\` of \`extension.json\` and put in the place of \`respond\`:

\`\`\`ts
  request(request, model, context) {
    return {
      url: 'https://api.example.com/v1/answers',
      headers: { authorization: \`Bearer \${context.credential()}\` },
      body: { model, messages: request.messages },
    }
  },

  decode() {
    return {
      frame(frame, emit) {
        const { text, done } = JSON.parse(frame.data)
        if (text) emit({ type: 'text', text })
        if (done) emit({ type: 'stop', reason: 'end-turn' })
      },
    }
  },
\`\`\`

Functions are synchronous: the host sends the request and cuts the answer into frames. Everything a provider
may define is documented on \`Provider\` in \`@airlock/guest-sdk\`.
`
