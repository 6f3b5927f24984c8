import { describe, expect, it } from 'vitest'
import { createDemoService } from '../../../host/demo/service.ts'

const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
}

async function chat(url: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${url}/chat/completions`, { method: 'POST', headers, body: JSON.stringify(body) })
}

interface Chunk {
  choices: {
    delta: { content?: string; reasoning_content?: string; tool_calls?: object[] }
    finish_reason: string | null
  }[]
  usage?: { prompt_tokens: number; completion_tokens: number; total_tokens: number } | null
}

async function streamed(response: Response): Promise<Chunk[]> {
  const frames = (await response.text()).split('\n\n').filter(Boolean)
  expect(frames.pop()).toBe('data: [DONE]')
  return frames.map(frame => JSON.parse(frame.slice('data: '.length)))
}

const user = (content: string) => [{ role: 'user', content }]

describe('createDemoService', () => {
  it('lists models with their context lengths', async () => {
    await using service = await createDemoService()
    const { data } = (await (await fetch(`${service.url}/models`)).json()) as {
      data: { id: string; context_length: number }[]
    }
    expect(data.map(({ id, context_length }) => [id, context_length])).toEqual([
      ['parrot-1', 32768],
      ['parrot-1-mini', 8192],
      ['owl-1', 131072],
    ])
  })

  it('refuses a wrong key with an error body, and takes the right one', async () => {
    await using service = await createDemoService({ key: 'right' })
    const refused = await fetch(`${service.url}/models`, { headers: { authorization: 'Bearer wrong' } })
    expect(refused.status).toBe(401)
    expect(await refused.json()).toMatchObject({ error: { code: 'invalid_api_key' } })
    const taken = await fetch(`${service.url}/models`, { headers: { authorization: 'Bearer right' } })
    expect(taken.status).toBe(200)
    expect(service.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer wrong',
      'Bearer right',
    ])
  })

  it.each(['at-once', 'socket', { everyMs: 1 }] as const)(
    'streams the same answer paced %j',
    async pacing => {
      await using service = await createDemoService({ pacing })
      const body = {
        model: 'parrot-1',
        messages: user('hello there'),
        stream: true,
        stream_options: { include_usage: true },
      }
      const chunks = await streamed(await chat(service.url, body))
      const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')
      expect(text).toContain('You said: "hello there". I am Parrot 1')
      expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop')
      expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 2 } })

      const whole = (await (await chat(service.url, { ...body, stream: false })).json()) as {
        choices: { message: { content: string } }[]
        usage: object
      }
      expect(whole.choices[0]?.message.content).toBe(text)
      expect(whole.usage).toEqual(chunks.at(-1)?.usage)
    },
  )

  it('calls the tool that the prompt names, then answers with its result', async () => {
    await using service = await createDemoService()
    const messages: object[] = user('What is the weather in Porto?')
    const whole = await chat(service.url, { model: 'parrot-1', messages, tools: [weather] })
    const { choices } = (await whole.json()) as {
      choices: {
        finish_reason: string
        message: { tool_calls: { id: string; function: { arguments: string } }[] }
      }[]
    }
    expect(choices[0]?.finish_reason).toBe('tool_calls')
    const [call] = choices[0]?.message.tool_calls ?? []
    expect(JSON.parse(call?.function.arguments ?? '')).toEqual({ city: 'Porto' })

    messages.push(choices[0]!.message, { role: 'tool', tool_call_id: call?.id, content: '21 degrees' })
    const answer = await chat(service.url, { model: 'parrot-1', messages, tools: [weather] })
    expect(await answer.text()).toContain('this came back: 21 degrees.')
  })

  it('streams a call whose pieces join to its arguments', async () => {
    await using service = await createDemoService()
    const body = { model: 'parrot-1', messages: user('weather in Oslo'), tools: [weather], stream: true }
    const chunks = await streamed(await chat(service.url, body))
    const pieces = chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? []) as {
      function: { arguments: string }
    }[]
    expect(JSON.parse(pieces.map(piece => piece.function.arguments).join(''))).toEqual({ city: 'Oslo' })
  })

  it('calls no tool where the request forbids it', async () => {
    await using service = await createDemoService()
    const body = {
      model: 'parrot-1',
      messages: user('weather in Oslo'),
      tools: [weather],
      tool_choice: 'none',
    }
    expect(await (await chat(service.url, body)).text()).toContain('You said: \\"weather in Oslo\\"')
  })

  it('thinks first where the model reasons', async () => {
    await using service = await createDemoService()
    const chunks = await streamed(
      await chat(service.url, { model: 'owl-1', messages: user('hoo'), stream: true }),
    )
    const kinds = chunks.map(({ choices }) => Object.keys(choices[0]?.delta ?? {})[0])
    expect(kinds.lastIndexOf('reasoning_content')).toBeLessThan(kinds.indexOf('content', 1))
  })

  it('stops at max_tokens', async () => {
    await using service = await createDemoService()
    const body = { model: 'parrot-1', messages: user('hello'), stream: true, max_tokens: 3 }
    const chunks = await streamed(await chat(service.url, body))
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('You said: "hello". ')
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('length')
  })

  it('sends as many pieces as a bench asks for', async () => {
    await using service = await createDemoService({ pieces: 2000, pacing: 'at-once' })
    const chunks = await streamed(
      await chat(service.url, { model: 'parrot-1', messages: user('x'), stream: true }),
    )
    expect(chunks.filter(({ choices }) => choices[0]?.delta.content === 'word ')).toHaveLength(2000)
  })

  it.each([
    ['{', 400, 'not JSON'],
    ['{"model":"parrot-1","messages":[]}', 400, 'messages'],
    ['{"model":"gone","messages":[{"role":"user","content":"x"}]}', 404, '\\"gone\\" does not exist'],
  ])('answers %s with %d', async (body, status, sentence) => {
    await using service = await createDemoService()
    const response = await fetch(`${service.url}/chat/completions`, { method: 'POST', body })
    expect(response.status).toBe(status)
    expect(await response.text()).toContain(sentence)
  })

  it('notes a client that went away and stops sending', async () => {
    await using service = await createDemoService({ pieces: 20_000, pacing: { everyMs: 1 } })
    const stop = new AbortController()
    const response = await fetch(`${service.url}/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ model: 'parrot-1', messages: user('x'), stream: true }),
      signal: stop.signal,
    })
    await response.body?.getReader().read()
    expect(service.requests[0]?.outcome).toBe('open')
    stop.abort()
    await expect.poll(() => service.requests[0]?.outcome, { timeout: 5_000 }).toBe('dropped')
  })

  it('frees its port when it closes', async () => {
    const { url, close } = await createDemoService()
    await close()
    await expect(fetch(`${url}/models`)).rejects.toThrow()
  })
})
