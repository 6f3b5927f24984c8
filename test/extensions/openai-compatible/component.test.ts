import type * as wit from 'airlock:llm/provider@0.1.0'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFramer } from '../../../host/http/frames.ts'
import { type RunningComponent, request, runComponent } from '../../guest-sdk/run-component.ts'
import { streams } from '../../streams/expected.ts'
import { repoRoot } from '../../support/repo-root.ts'

const ID = 'openai-compatible'
const utf8 = new TextEncoder()
let component: RunningComponent
let asked: string[] = []

beforeAll(async () => {
  const files = ['extension.json', 'provider.ts', 'servers.ts']
  const read = (file: string) => readFileSync(join(repoRoot, 'extensions', ID, file), 'utf8')
  component = await runComponent(Object.fromEntries(files.map(file => [file, read(file)])), {
    settings: { apiUrl: 'http://127.0.0.1:8080', availableModels: [] },
    env: { OPENAI_COMPATIBLE_API_KEY: 'key' },
    fetch(wanted) {
      asked = [wanted.method, wanted.url, ...wanted.headers.flat()]
      return { status: 200, headers: [], body: utf8.encode('{"data":[{"id":"m","max_model_len":4096}]}') }
    },
  })
}, 120_000)

afterAll(() => component?.[Symbol.asyncDispose]())

async function decode(body: Uint8Array): Promise<wit.CompletionEvent[]> {
  const { completion } = await component.provider.startCompletion(ID, 'm', request())
  const framer = createFramer('server-sent-events')
  const frames = [...framer.push(body), ...framer.end()]
  return [...(await completion.decode(frames)), ...(await completion.finish())]
}

test('the component lists the models of the server', async () => {
  expect(await component.provider.models(ID)).toMatchObject([{ id: 'm', name: 'm', maxTokenCount: 4096n }])
  expect(asked).toEqual(['get', 'http://127.0.0.1:8080/v1/models', 'authorization', 'Bearer key'])
})

test('the component asks for a completion', async () => {
  const { request: sent, framing } = await component.provider.startCompletion(
    ID,
    'm',
    request({
      messages: [
        {
          role: 'user',
          content: [{ tag: 'image', val: { source: '/9j/4AAQSkZJRg==', mediaType: 'image/png' } }],
          cache: false,
        },
        {
          role: 'assistant',
          content: [
            {
              tag: 'tool-use',
              val: { id: 'a', name: 'look', input: '{"id": 12345678901234567890}', isInputComplete: true },
            },
          ],
          cache: false,
        },
      ],
      temperature: Math.fround(0.7),
      seed: 7n,
      maxTokens: 100n,
      providerOptions: '{"top_k":3}',
    }),
  )
  expect(framing).toBe('server-sent-events')
  expect(sent).toMatchObject({ method: 'post', url: 'http://127.0.0.1:8080/v1/chat/completions' })
  expect(sent?.headers).toContainEqual(['authorization', 'Bearer key'])
  expect(JSON.parse(new TextDecoder().decode(sent?.body))).toEqual({
    model: 'm',
    messages: [
      {
        role: 'user',
        content: [{ type: 'image_url', image_url: { url: 'data:image/jpeg;base64,/9j/4AAQSkZJRg==' } }],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            id: 'a',
            type: 'function',
            function: { name: 'look', arguments: '{"id": 12345678901234567890}' },
          },
        ],
      },
    ],
    stream: true,
    stream_options: { include_usage: true },
    max_tokens: 100,
    temperature: 0.7,
    seed: 7,
    top_k: 3,
  })
})

test.each(Object.entries(streams))('the component reads %s', async (file, expected) => {
  const events = await decode(readFileSync(join(repoRoot, 'test/streams', file))).catch(
    (error: unknown) => error,
  )
  if (!Array.isArray(events)) {
    expect(events).toMatchObject({ kind: expected.error?.kind })
    return
  }
  const of = (tag: string): unknown[] => events.flatMap(event => (event.tag === tag ? [event.val] : []))
  expect(of('text').join('')).toBe(expected.text)
  expect(of('tool-use')).toMatchObject(expected.toolUses ?? [])
  expect(of('stop')).toEqual(expected.stop ? [expected.stop] : [])
})

test('the component makes ids for calls that come without', async () => {
  const call = '{"function":{"name":"f","arguments":"{}"}}'
  const body = `data: {"choices":[{"delta":{"tool_calls":[${call}]},"finish_reason":"stop"}]}\n\n`
  const ids = new Set<string>()
  for (let at = 0; at < 20; at++) {
    for (const event of await decode(utf8.encode(body))) if (event.tag === 'tool-use') ids.add(event.val.id)
  }
  expect(ids.size).toBe(20)
  for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9]{9}$/)
})
