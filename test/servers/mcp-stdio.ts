// A program that speaks MCP over its standard streams. It notes in the file that it is given what befalls it.
import { appendFileSync } from 'node:fs'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { createMcpTools } from './mcp-tools.ts'

const [notes, mode] = process.argv.slice(2)
const note = (line: string) => notes && appendFileSync(notes, `${line}\n`)

note(`started ${process.pid}`)
if (mode === 'deaf') setInterval(() => {}, 1_000)
else if (mode === 'fails') process.exit(1)
else {
  await createMcpTools({ cancelled: reason => note(`cancelled ${reason}`) }).connect(
    new StdioServerTransport(),
  )
  // Does not end when its input does: whoever started it must see to that.
  if (mode === 'stubborn') {
    process.on('SIGTERM', () => {})
    setInterval(() => {}, 1_000)
  }
}
