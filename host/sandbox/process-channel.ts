import { fork } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { OpenChannel } from './channel.ts'
import { jspiFlags } from './jspi-flags.ts'
import type { FromSandbox } from './protocol.ts'

// The child's JavaScript heap: generated code, lifted values. The guest's own memory is bounded in its modules.
const HEAP_MIB_BESIDE_GUEST = 128

const sandboxFolder = import.meta.dirname
const hostFolder = dirname(sandboxFolder)
// All that the child's own code is made of; what it runs besides is the transpiled component.
const ownFiles = [
  sandboxFolder,
  join(hostFolder, 'package.json'),
  join(hostFolder, 'errors.ts'),
  join(hostFolder, 'http/frames.ts'),
  join(hostFolder, 'http/text-reader.ts'),
  join(hostFolder, 'policy/limits.ts'),
  dirname(dirname(fileURLToPath(import.meta.resolve('eventsource-parser')))),
  dirname(dirname(dirname(fileURLToPath(import.meta.resolve('@bytecodealliance/preview2-shim/random'))))),
]

// utime and stime of proc(5) are counted in ticks, and Linux has told user space that there are 100 in a second ever since.
const MS_PER_TICK = 10

async function readCpuMs(pid: number | undefined): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  // The second field is the command in parentheses and may hold spaces; utime and stime are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK
}

/**
 * A sandbox in a process of its own under Node's permission model: beside what the guest cannot do anyway, the process
 * around it cannot write, connect, or start anything, and reads its own code and the transpiled components alone.
 */
export function openProcess(cacheFolder: string): OpenChannel {
  return (events, memoryMiB) => {
    const child = fork(join(sandboxFolder, 'child.ts'), [], {
      env: {},
      serialization: 'advanced',
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      execArgv: [
        '--permission',
        ...[...ownFiles, realpathSync(join(cacheFolder, 'transpiled'))].map(
          path => `--allow-fs-read=${path}`,
        ),
        '--disable-warning=SecurityWarning',
        `--max-old-space-size=${memoryMiB + HEAP_MIB_BESIDE_GUEST}`,
        ...jspiFlags(),
      ],
    })
    let over = false
    const died = (reason: string) => {
      if (over) return
      over = true
      events.died(reason)
    }
    const exited = new Promise<void>(resolve => {
      child.once('exit', () => resolve())
      child.once('error', () => resolve())
    })
    child.on('message', message => {
      if (!over) events.message(message as FromSandbox)
    })
    child.on('error', error => died(error.message))
    child.on('exit', (code, signal) =>
      died(signal ? `its process was ended by ${signal}` : `its process ended with code ${code}`),
    )
    child.stdout?.setEncoding('utf8').on('data', text => events.output(text))
    child.stderr?.setEncoding('utf8').on('data', text => events.output(text))

    return {
      post(message) {
        if (child.connected) child.send(message)
      },
      async cpuMs() {
        if (process.platform !== 'linux') return undefined
        return readCpuMs(child.pid).catch(() => undefined)
      },
      async kill() {
        over = true
        child.kill('SIGKILL')
        await exited
      },
    }
  }
}
