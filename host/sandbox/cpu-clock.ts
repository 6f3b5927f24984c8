import { isMainThread } from 'node:worker_threads'

// A thread counts its own time; a child process all of its, which is what its host can ask for from outside.
const cpuUsage = isMainThread ? process.cpuUsage : process.threadCpuUsage

// Asking costs a system call, so a busy sandbox does not ask for every reply. The host then takes a call to have
// computed that much longer than it did, which is little beside the limit.
const MAX_AGE_MS = 100

/** Computing time of this sandbox so far, milliseconds. */
export function createCpuClock() {
  let ms = 0
  let readAt = Number.NEGATIVE_INFINITY
  function exact(): number {
    const { user, system } = cpuUsage()
    readAt = performance.now()
    ms = (user + system) / 1000
    return ms
  }
  return { exact, recent: () => (performance.now() - readAt > MAX_AGE_MS ? exact() : ms) }
}
