import { CONTRACT } from '../componentize.ts'

/** What to type next, indented. */
export const toolSteps = (id: string, folder: string) => `  npx airlock-sdk build ${folder}
  npx airlock install ${folder}
  npx airlock tools invoke ${toolId(id)} --parameters '{ "text": "Hello" }'`

/** The files of a new extension that brings a tool. */
export const toolFiles = (id: string, name: string, folder: string): Record<string, string> => ({
  'extension.json': manifest(id, name),
  'tools.ts': tools(id),
  'README.md': readme(id, name, folder),
})

const toolId = (id: string) => `${id.slice(0, 55)}-reverse`

const manifest = (id: string, name: string) => `{
  "id": "${id}",
  "name": "${name}",
  "version": "0.1.0",
  "contract": "${CONTRACT}",
  "component": "dist/${id}.wasm",
  "tools": [{ "id": "${toolId(id)}", "name": "Reverse" }],
  "permissions": { "network": [], "tools": [], "memoryMiB": 64 }
}
`

const tools = (id: string) => `import { defineTool } from '@airlock/guest-sdk'

export default defineTool({
  id: '${toolId(id)}',
  // For the model: what it does, and when to call it.
  description: 'Reverses a text. Call it when the user wants something written backwards.',
  inputSchema: {
    type: 'object',
    properties: { text: { type: 'string', description: 'What to reverse.' } },
    required: ['text'],
    additionalProperties: false,
  },

  invoke({ text }) {
    if (text === '') throw new Error('text is empty: give the text to reverse')
    return [...text].reverse().join('')
  },
})
`

const readme = (id: string, name: string, folder: string) => `# ${name}

An extension for Airlock that brings a tool. Build it, install it, call it:

\`\`\`sh
${toolSteps(id, folder).replaceAll(/^ {2}/gm, '')}
\`\`\`

\`tools.ts\` is all of it; several tools are \`defineTools([defineTool(...), defineTool(...)])\`, each named under
\`tools\` of \`extension.json\`. What \`invoke\` throws is an answer, too: the model reads the message.

To ask a service, name its origin under \`permissions.network\` and call \`context.fetch(url)\`, which waits for the
answer. To call another tool, name its id under \`permissions.tools\` and call \`context.invokeTool(id, parameters)\`.
Functions are synchronous. Everything a tool may do is documented on \`Tool\` and \`ToolContext\` in
\`@airlock/guest-sdk\`.
`
