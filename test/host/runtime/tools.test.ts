import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { type AirlockOptions, createAirlock, type ToolRule } from '../../../host/index.ts'
import { createTestHome } from '../../support/home.ts'

const write = { description: 'Writes', invoke: () => 'written' }

/** An airlock without extensions, whose user has written these settings. */
async function open(settings: Record<string, unknown>, options: AirlockOptions = {}) {
  const resources = new AsyncDisposableStack()
  const home = resources.use(await createTestHome({ extensions: [], settings }))
  const airlock = resources.use(await createAirlock({ home: home.folder, env: {}, ...options }))
  airlock.tools.register('write', write)
  return {
    airlock,
    settings: async (): Promise<unknown> =>
      JSON.parse(await readFile(join(home.folder, 'settings.json'), 'utf8')),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

test('airlock.tools: what the user allows in settings.json runs, whatever else is denied', async () => {
  await using one = await open({ tools: { write: 'allow' } })
  expect(String(await one.airlock.tools.invoke('write'))).toBe('written')
  await using other = await open({ tools: { write: 'deny' } }, { toolPolicy: { write: 'allow' } })
  expect(await other.airlock.tools.invoke('write')).toMatchObject({ withheld: 'denied' })
})

test('airlock.tools: "always" is kept in settings.json for the next time', async () => {
  const confirmTool = vi.fn(() => 'allow-always' as const)
  await using one = await open({}, { confirmTool })
  await one.airlock.tools.invoke('write')
  await one.airlock.tools.invoke('write')
  expect(confirmTool).toHaveBeenCalledOnce()
  expect(await one.settings()).toMatchObject({ tools: { write: 'allow' } })
})

test('airlock.tools shows nothing of what is behind it', async () => {
  await using one = await open({})
  expect(Object.keys(one.airlock.tools).sort()).toEqual(['add', 'invoke', 'list', 'onChange', 'register'])
})

test.each<[AirlockOptions, string]>([
  [{ toolPolicy: { write: 'yes' as ToolRule } }, '"write"'],
  [{ confirmTool: 'ask' as never }, 'confirmTool'],
  [{ settings: { tools: { write: 'yes' as ToolRule } } }, 'tools.write'],
])('createAirlock refuses %j', async (options, named) => {
  await expect(open({}, options)).rejects.toMatchObject({
    code: 'invalid-option',
    message: expect.stringContaining(named),
  })
})

test('airlock.close aborts the calls that run, and closes the sources', async () => {
  const close = vi.fn(async () => {})
  const { airlock, ...home } = await open({}, { toolPolicy: () => 'allow' })
  airlock.tools.register('hang', { description: 'Hangs', invoke: () => new Promise(() => {}) })
  airlock.tools.add({ name: 'mcp:x', list: async () => [], close })
  const calling = airlock.tools.invoke('hang')
  await new Promise(setImmediate)
  await airlock.close()
  await airlock.close()
  await expect(calling).rejects.toMatchObject({ code: 'airlock-closed' })
  expect(close).toHaveBeenCalledOnce()
  await home[Symbol.asyncDispose]()
})
