// Installs extensions in a process of its own: `install-process.ts HOME SOURCE...`, agreeing to everything.
// Prints "ready" once everything is loaded and "done" at the end, so that whoever started it can kill it between.
import { createInstalledExtensions } from '../../../host/extension/installed.ts'
import { resolveHome } from '../../../host/home/home.ts'

const [home = '', ...sources] = process.argv.slice(2)
const installed = createInstalledExtensions(resolveHome({ home, env: {} }))
process.stdout.write('ready\n')
for (const source of sources) await installed.install(source, { agree: () => true })
process.stdout.write('done\n')
