import { existsSync } from 'node:fs'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { basename, join, relative, resolve } from 'node:path'
import { BuildError } from '../build-error.ts'
import { CONTRACT } from '../componentize.ts'

const sdk = join(import.meta.dirname, '../..')

/** Writes a small extension that answers without a service. @throws {BuildError} where the folder is in use. */
export async function createExtension(folder: string): Promise<void> {
  const root = resolve(folder)
  const id = basename(root)
  if (!/^[a-z][a-z0-9-]{0,63}$/.test(id)) {
    throw new BuildError(
      `Cannot make an extension of "${id}": the folder's name becomes the id, so it must be lower-case letters, digits and "-", beginning with a letter, at most 64`,
    )
  }
  if (existsSync(root) && (await readdir(root)).length > 0) {
    throw new BuildError(`Cannot make an extension in ${folder}: it is not empty`)
  }
  const name = id.replace(
    /(^|-)([a-z])/g,
    (_, dash: string, letter: string) => (dash && ' ') + letter.toUpperCase(),
  )
  await mkdir(root, { recursive: true })
  for (const [file, text] of Object.entries({
    'extension.json': manifest(id, name),
    'provider.ts': provider(id, name),
    'README.md': readme(id, name, folder),
    'tsconfig.json': tsconfig(root),
    '.gitignore': 'dist/\nnode_modules/\n',
  })) {
    await writeFile(join(root, file), text)
  }
  console.error(`Made ${folder}. Next:\n${steps(id, folder).join('\n')}`)
}

const steps = (id: string, folder: string) => [
  `  npx airlock-sdk build ${folder}`,
  `  npx airlock install ${folder}`,
  `  npx airlock complete -m ${id}/parrot "Hello"`,
]

const manifest = (id: string, name: string) => `{
  "id": "${id}",
  "name": "${name}",
  "version": "0.1.0",
  "contract": "${CONTRACT}",
  "component": "dist/${id}.wasm",
  "providers": [{ "id": "${id}", "name": "${name}" }],
  "tools": [],
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
${steps(id, folder).join('\n').replaceAll(/^ {2}/gm, '')}
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

/** The editor finds the SDK by its path, so that nothing has to be installed. */
const tsconfig = (root: string) =>
  `${JSON.stringify(
    {
      compilerOptions: {
        target: 'es2025',
        lib: ['es2025', 'dom'],
        module: 'nodenext',
        types: [],
        strict: true,
        noEmit: true,
        skipLibCheck: true,
        allowImportingTsExtensions: true,
        paths: { '@airlock/guest-sdk': [join(relative(root, sdk), 'index.ts').replaceAll('\\', '/')] },
      },
      include: ['*.ts'],
    },
    null,
    2,
  )}\n`
