import type { Log } from '../context.ts'
import { host } from './host.ts'

export const log: Log = {
  debug: message => host.log('debug', String(message).toWellFormed()),
  info: message => host.log('info', String(message).toWellFormed()),
  warn: message => host.log('warn', String(message).toWellFormed()),
  error: message => host.log('error', String(message).toWellFormed()),
}
