#!/usr/bin/env node
// Plain JavaScript that any Node parses, so that an old one is told why instead of shown a syntax error.
const [major] = process.versions.node.split('.')
if (Number(major) < 24) {
  console.error(`airlock needs Node.js 24 or newer; this is ${process.versions.node}.`)
  process.exit(1)
}
void import('../cli/compile-cache.js')
  .then(({ useCompileCache }) => useCompileCache(process.env))
  .then(() => import('../cli/main.ts'))
  .then(({ main }) => main(process.argv.slice(2)))
