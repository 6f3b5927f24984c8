import { describe, expect, test } from 'vitest'
import { cutAt, cutPositions, oneByOne } from './cuts.ts'
import { createGate } from './gate.ts'
import { startScriptedServer } from './scripted.ts'

describe('startScriptedServer', () => {
  test('records what came and answers in order', async () => {
    await using server = await startScriptedServer([
      { status: 404, headers: { 'content-type': 'text/plain' }, body: ['no'] },
      { body: ['data: 1\n\n'] },
    ])
    const first = await fetch(`${server.url}/a?b=1`, {
      method: 'POST',
      body: 'sent',
      headers: { 'x-test': 'yes' },
    })
    expect([first.status, await first.text()]).toEqual([404, 'no'])
    expect(await (await fetch(server.url)).text()).toBe('data: 1\n\n')
    expect((await fetch(server.url)).status).toBe(500)

    const [request] = server.requests
    expect(request).toMatchObject({ method: 'POST', path: '/a?b=1', body: Buffer.from('sent') })
    expect(request?.headers['x-test']).toBe('yes')
    expect(await request?.closed).toBe('finished')
  })

  test('sends a chunk only when its gate is open, and tells when the client left', async () => {
    const gate = createGate()
    await using server = await startScriptedServer({ body: ['one', gate.opened, 'two'], ending: 'hang' })
    const abort = new AbortController()
    const response = await fetch(server.url, { signal: abort.signal })
    const reader = response.body?.getReader()
    const text = async () => new TextDecoder().decode((await reader?.read())?.value)
    expect(await text()).toBe('one')
    const request = await server.nextRequest()
    expect(request.bytesWritten).toBe(3)
    gate.open()
    expect(await text()).toBe('two')
    abort.abort()
    expect(await request.closed).toBe('client-gone')
  })

  test('breaks off inside a body', async () => {
    await using server = await startScriptedServer({ body: ['half'], ending: 'destroy' })
    const response = await fetch(server.url)
    await expect(response.text()).rejects.toThrow()
  })

  test('closes while a request is open', async () => {
    const server = await startScriptedServer('never')
    const answer = fetch(server.url).then(
      () => 'answered',
      () => 'broken off',
    )
    await server.nextRequest()
    await server.close()
    expect(await answer).toBe('broken off')
  })
})

describe('cuts', () => {
  const bytes = Buffer.from('abcdef')
  test('cutAt loses nothing', () => {
    expect(cutAt(bytes, 2, 4).map(String)).toEqual(['ab', 'cd', 'ef'])
    for (let at = 0; at <= bytes.length; at++) expect(Buffer.concat(cutAt(bytes, at))).toEqual(bytes)
  })
  test('oneByOne', () => expect(oneByOne(bytes).map(String)).toEqual([...'abcdef']))
  test('cutPositions: all of them, or the same sample each time', () => {
    expect(cutPositions(3, 500)).toEqual([0, 1, 2, 3])
    const sample = cutPositions(100_000, 500)
    expect(new Set(sample).size).toBe(500)
    expect(cutPositions(100_000, 500)).toEqual(sample)
  })
})
