import { console } from './console.ts'
import { crypto } from './crypto.ts'
import { HostDate } from './date.ts'
import { performance } from './performance.ts'
import { refused } from './refused.ts'

/**
 * Imported before anything of the author's. These are small, or end the instance where they are left to the
 * engine, so they are set for all code; larger ones are imported only where a bundle uses them (see
 * build/guest-globals.ts).
 */
Object.assign(globalThis, {
  console,
  crypto,
  Date: HostDate,
  performance,
  fetch: refused('fetch'),
  setTimeout: refused('setTimeout'),
  setInterval: refused('setInterval'),
  setImmediate: refused('setImmediate'),
  queueMicrotask: refused('queueMicrotask'),
  clearTimeout: () => {},
  clearInterval: () => {},
})
Math.random = refused('random')
