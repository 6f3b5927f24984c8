import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { createOutput } from '../../../host/cli/terminal/output.ts'

function streams(options: { isTTY?: boolean; env?: NodeJS.ProcessEnv } = {}) {
  const { isTTY = true, env = {} } = options
  const stdout = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY, columns: 100 })
  const stderr = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY, columns: 100 })
  let closed = 0
  const output = createOutput({ stdout, stderr, env, onClosed: () => closed++ })
  const read = (stream: PassThrough): string => stream.read() ?? ''
  return { output, stdout, out: () => read(stdout), err: () => read(stderr), closed: () => closed }
}

describe('createOutput', () => {
  it('colours on a terminal', () => {
    const { output, out } = streams()
    output.line({ text: 'loud', style: 'red' }, ' quiet')
    expect(out()).toBe('\x1b[31mloud\x1b[39m quiet\n')
  })

  it.each([
    ['into a pipe', { isTTY: false }],
    ['with NO_COLOR', { env: { NO_COLOR: '1' } }],
    ['on a dumb terminal', { env: { TERM: 'dumb' } }],
  ])('does not colour %s', (_, options) => {
    const { output, out, err } = streams(options)
    output.line({ text: 'loud', style: 'red' })
    output.note({ text: 'loud', style: 'red' })
    expect([out(), err()]).toEqual(['loud\n', 'loud\n'])
  })

  it('draws progress only on a terminal', () => {
    const piped = streams({ isTTY: false })
    piped.output.control('\r\x1b[2K')
    expect([piped.output.hasProgress, piped.err()]).toEqual([false, ''])
    const shown = streams()
    shown.output.control('\r\x1b[2K')
    expect(shown.err()).toBe('\r\x1b[2K')
  })

  it('lets no control character of a text through, styled or not', () => {
    const { output, out, err } = streams()
    output.write('a\x1b[2J', { text: '\x1b]0;t\x07', style: 'dim' })
    output.note('\x9b5n')
    expect(out()).toBe('a␛[2J\x1b[2m␛]0;t␇\x1b[22m')
    expect(err()).toBe('\ufffd5n\n')
  })

  it('tells once that the reader has gone, and then writes nothing', () => {
    const { output, stdout, out, closed } = streams()
    stdout.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
    stdout.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
    output.line('to nobody')
    expect([closed(), out()]).toEqual([1, ''])
  })

  it('waits for a reader that lags', async () => {
    const { output, stdout } = streams()
    await output.drained()
    while (!stdout.writableNeedDrain) output.write('x'.repeat(1024))
    let isDrained = false
    const drained = output.drained().then(() => {
      isDrained = true
    })
    await new Promise(setImmediate)
    expect(isDrained).toBe(false)
    stdout.resume()
    await drained
    expect(isDrained).toBe(true)
  })
})
