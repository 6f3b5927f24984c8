import { describe, expect, test, vi } from 'vitest'
import { createHttpResponse } from '../../../guest-sdk/http-response.ts'
import {
  type DeviceToken,
  deviceAuthorizationRequest,
  deviceTokenRequest,
  type OAuthRequest,
  readDeviceAuthorization,
  readDeviceToken,
  toDeviceFlow,
} from '../../../guest-sdk/oauth/index.ts'
import { ProviderError as GuestError } from '../../../guest-sdk/provider-error.ts'
import type {
  DeviceFlow,
  DeviceFlowStatus,
} from '../../../host/contract/generated/interfaces/airlock-llm-provider.js'
import { ProviderError, TransportError } from '../../../host/errors.ts'
import {
  type DeviceFlowClock,
  type DeviceFlowEvent,
  type DeviceFlowOptions,
  runDeviceFlow,
} from '../../../host/oauth/device-flow.ts'
import { userNetworkRules } from '../../../host/policy/network.ts'
import { type EndpointAnswer, startScriptedOAuthServer } from '../../servers/oauth-scripted.ts'

const permission = {
  rules: userNetworkRules(['https://service.example']),
  manifestFile: 'extensions/acme/extension.json',
}

const words = {
  headline: 'Sign in',
  description: 'Enter the code',
  connectButtonLabel: 'Open',
  successHeadline: 'Done',
  successMessage: 'Signed in',
}

function flow(
  parts: Partial<Omit<DeviceFlow, 'prompt'>> & { userCode?: string; url?: string } = {},
): DeviceFlow {
  const { userCode = 'ABCD-1234', url = 'https://service.example/device', ...rest } = parts
  return {
    prompt: { userCode, verificationUrl: url, ...words },
    state: 'the device code',
    pollIntervalSecs: 5,
    expiresInSecs: 900,
    ...rest,
  }
}

/** Time passes only by sleeping, and never while a poll is on its way. `slept` holds the pauses in seconds. */
function virtualClock() {
  const clock = {
    at: 1000,
    slept: [] as number[],
    polling: false,
    now: () => clock.at,
    async sleep(ms: number, signal: AbortSignal) {
      while (clock.polling && !signal.aborted) await new Promise(setImmediate)
      signal.throwIfAborted()
      clock.at += ms
      clock.slept.push(ms / 1000)
    },
  }
  return clock satisfies DeviceFlowClock
}

async function run(
  statuses: readonly (DeviceFlowStatus | Error)[],
  started: DeviceFlow = flow(),
  options: Partial<DeviceFlowOptions> = {},
) {
  const clock = virtualClock()
  const events: DeviceFlowEvent[] = []
  let polls = 0
  const { poll = async () => next(), ...others } = options
  const next = () => {
    const status = statuses[Math.min(polls++, statuses.length - 1)]!
    if (status instanceof Error) throw status
    return status
  }
  const outcome = await runDeviceFlow({
    start: async () => started,
    async poll(state, signal) {
      clock.polling = true
      try {
        return await poll(state, signal)
      } finally {
        clock.polling = false
      }
    },
    permission,
    clock,
    onEvent: event => events.push(event),
    ...others,
  }).then(
    prompt => ({ prompt, error: undefined }),
    (error: unknown) => ({ prompt: undefined, error: error as Error & { code: string } }),
  )
  return { ...outcome, slept: clock.slept, events, polls }
}

const pending: DeviceFlowStatus = { tag: 'pending' }
const complete: DeviceFlowStatus = { tag: 'complete' }
const slowDown = (val: number): DeviceFlowStatus => ({ tag: 'slow-down', val })

describe('runDeviceFlow: pace', () => {
  test('waits one interval before the first poll and between polls', async () => {
    const { slept, prompt } = await run([pending, pending, complete], flow({ pollIntervalSecs: 7 }))
    expect(slept).toEqual([7, 7, 7])
    expect(prompt?.successMessage).toBe('Signed in')
  })

  const slowing: [what: string, statuses: DeviceFlowStatus[], slept: number[]][] = [
    ['adds five seconds for all later polls', [slowDown(0), pending, complete], [5, 10, 10]],
    ['takes a longer interval that the service names', [slowDown(30), pending, complete], [5, 30, 30]],
    ['never gets shorter', [slowDown(30), slowDown(6), complete], [5, 30, 35]],
    ['adds up', [slowDown(0), slowDown(0), slowDown(0), complete], [5, 10, 15, 20]],
    ['is capped where a service names hours', [slowDown(86_400), complete], [5, 300]],
  ]
  for (const [what, statuses, slept] of slowing) {
    test(`slow_down ${what}`, async () => {
      expect((await run(statuses)).slept).toEqual(slept)
    })
  }

  test('slow_down for ever grows to a minute, not beyond', async () => {
    const { slept } = await run(
      [...Array<DeviceFlowStatus>(14).fill(slowDown(0)), complete],
      flow({ expiresInSecs: 3600 }),
    )
    expect(slept.at(-1)).toBe(60)
  })

  for (const junk of [0, -3, Number.NaN, Number.POSITIVE_INFINITY, undefined, '5' as unknown]) {
    test(`interval ${String(junk)} is five seconds`, async () => {
      expect((await run([complete], flow({ pollIntervalSecs: junk as number }))).slept).toEqual([5])
    })
  }

  test('network failures back off, are told, and go on at the old pace', async () => {
    const lost = new TransportError('connection-lost', 'The connection was lost')
    const busy = new ProviderError({ kind: 'overloaded', message: 'busy' })
    const { slept, events, prompt } = await run([lost, busy, pending, lost, complete])
    expect(slept).toEqual([5, 10, 20, 5, 10])
    expect(prompt).toBeDefined()
    expect(events.filter(event => event.type === 'retrying')).toEqual([
      { type: 'retrying', reason: 'The connection was lost', waitMs: 10_000 },
      { type: 'retrying', reason: 'busy', waitMs: 20_000 },
      { type: 'retrying', reason: 'The connection was lost', waitMs: 10_000 },
    ])
  })

  test('a service that names a pause gets it', async () => {
    const limited = new ProviderError({ kind: 'rate-limited', message: 'slower', retryAfterMs: 90_000 })
    expect((await run([limited, complete])).slept).toEqual([5, 90])
  })
})

describe('runDeviceFlow: ends', () => {
  test('pending for ever stops when the code expires, to the second', async () => {
    const { error, slept } = await run([pending], flow({ expiresInSecs: 12 }))
    expect(error).toMatchObject({ code: 'sign-in-expired', message: expect.stringContaining('expired') })
    expect(slept).toEqual([5, 5, 2])
  })

  test('failures for ever stop there, too', async () => {
    const lost = new TransportError('dns-failed', 'no such host')
    const { error, slept } = await run([lost], flow({ expiresInSecs: 100 }))
    expect(error).toMatchObject({ code: 'sign-in-expired' })
    expect(slept.reduce((sum, seconds) => sum + seconds)).toBe(100)
  })

  test('a poll that never answers does not outlive the code', async () => {
    const clock: DeviceFlowClock = { ...virtualClock(), sleep: async () => {} }
    let now = 0
    clock.now = () => now
    const poll = () => {
      // The watch over this poll sleeps next, and time is over when it wakes.
      now = 900_000
      return new Promise<never>(() => {})
    }
    const { error } = await run([], flow(), { clock, poll })
    expect(error).toMatchObject({ code: 'sign-in-expired' })
  })

  for (const junk of [0, -1, Number.NaN]) {
    test(`expiry ${junk} means a quarter of an hour`, async () => {
      const { events } = await run([complete], flow({ expiresInSecs: junk }))
      expect(events[0]).toMatchObject({ type: 'prompt', expiresInMs: 900_000 })
    })
  }

  const ends: [serviceCode: string, code: string, message: RegExp][] = [
    ['access_denied', 'sign-in-denied', /declined/],
    ['expired_token', 'sign-in-expired', /expired before it was confirmed/],
    ['incorrect_device_code', 'sign-in-refused', /does not know this sign-in/],
    ['device_flow_disabled', 'sign-in-refused', /switched off/],
    ['incorrect_client_credentials', 'sign-in-refused', /client id/],
  ]
  test.each(ends)('%s ends it with a message of its own', async (serviceCode, code, message) => {
    const { error, polls } = await run([
      pending,
      new ProviderError({ kind: 'other', message: 'no', providerCode: serviceCode }),
    ])
    expect(error).toMatchObject({ code, serviceCode, message: expect.stringMatching(message) })
    expect(polls).toBe(2)
  })

  test('another error of the extension comes through as it is', async () => {
    const broken = new ProviderError({ kind: 'invalid-request', message: 'unknown client' })
    expect((await run([broken])).error).toBe(broken)
  })

  test('cancelling ends a pause at once, with the reason of whoever cancelled', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const stop = new AbortController()
    const work = runDeviceFlow({
      start: async () => flow(),
      poll: async () => pending,
      permission,
      signal: stop.signal,
      onEvent: () => queueMicrotask(() => stop.abort(new Error('Ctrl-C'))),
    })
    await expect(work).rejects.toThrow('Ctrl-C')
    vi.useRealTimers()
  })

  test('cancelling does not wait for a poll or a start that ignores it', async () => {
    for (const stuck of ['start', 'poll'] as const) {
      const stop = new AbortController()
      const never = () => {
        queueMicrotask(() => stop.abort(new Error('Ctrl-C')))
        return new Promise<never>(() => {})
      }
      const { error } = await run([pending], flow(), { [stuck]: never, signal: stop.signal })
      expect(error?.message).toBe('Ctrl-C')
    }
  })

  test('a listener that throws ends it, also where the browser is told of', async () => {
    const onEvent = (event: DeviceFlowEvent) => {
      if (event.type === 'browser-opened') throw new Error('the screen is gone')
    }
    const { error } = await run([pending], flow(), { onEvent, openBrowser: async () => {} })
    expect(error?.message).toBe('the screen is gone')
  })
})

describe('runDeviceFlow: prompt', () => {
  test('code and URL lose their control characters; what is shown is what is opened', async () => {
    const opened: string[] = []
    const { events } = await run(
      [complete],
      flow({ userCode: '\u001b[31mAB\u202eCD\r\n', url: 'https://service.example/de\u0007vice?c=1\n' }),
      { openBrowser: async url => opened.push(url) },
    )
    expect(events[0]).toMatchObject({
      type: 'prompt',
      prompt: { userCode: '[31mABCD', verificationUrl: 'https://service.example/device?c=1' },
    })
    expect(opened).toEqual(['https://service.example/device?c=1'])
  })

  test('the prompt is shown before the browser opens, and a browser that fails is no failure', async () => {
    const order: string[] = []
    const { prompt, events } = await run([pending, complete], flow(), {
      openBrowser: async () => {
        order.push('browser')
        throw new Error('none')
      },
    })
    expect(prompt).toBeDefined()
    expect(events.map(event => event.type)).toEqual(['prompt', 'browser-failed'])
  })

  const refused: [url: string, code: string][] = [
    ['javascript:alert(1)', 'sign-in-invalid-url'],
    ['file:///etc/passwd', 'sign-in-invalid-url'],
    ['ssh://service.example', 'sign-in-invalid-url'],
    ['', 'sign-in-invalid-url'],
    ['https://phish.example/device', 'permission-denied'],
    ['http://service.example/device', 'permission-denied'],
  ]
  test.each(refused)('%j is neither shown nor opened', async (url, code) => {
    const openBrowser = vi.fn(async () => {})
    const { error, events } = await run([complete], flow({ url }), { openBrowser })
    expect(error).toMatchObject({ code })
    expect(openBrowser).not.toHaveBeenCalled()
    expect(events).toEqual([])
  })

  test('a flow without a code is refused', async () => {
    expect((await run([complete], flow({ userCode: '\u200b' }))).error?.message).toContain('no code to enter')
  })
})

describe('a device sign-in against a service that misbehaves', () => {
  const device = {
    json: {
      device_code: 'd',
      user_code: 'U',
      verification_uri: 'https://service.example/device',
      interval: 2,
      expires_in: 60,
    },
  }

  /** What an extension does, with the guest's own functions over real HTTP. */
  async function signIn(token: EndpointAnswer[], start: EndpointAnswer = device) {
    await using server = await startScriptedOAuthServer({ device: start, token })
    const client = { id: 'me' }
    let last: DeviceToken | undefined
    const result = await run([], undefined, {
      async start() {
        const response = await send(deviceAuthorizationRequest({ endpoint: server.deviceEndpoint, client }))
        const started = toDeviceFlow(readDeviceAuthorization(response), words)
        return {
          ...started,
          pollIntervalSecs: started.pollIntervalSeconds,
          expiresInSecs: started.expiresInSeconds,
        }
      },
      async poll(deviceCode) {
        try {
          const request = deviceTokenRequest({ endpoint: server.tokenEndpoint, client, deviceCode })
          last = readDeviceToken(await send(request), { now: 0 })
        } catch (error) {
          throw error instanceof GuestError ? asHostError(error) : error
        }
        if (last.status === 'slow-down') return slowDown(last.intervalSeconds ?? 0)
        return { tag: last.status }
      },
    })
    return { ...result, token: last, requests: server.tokenRequests() }
  }

  const token = { json: { access_token: 't' } }
  const waiting = { json: { error: 'authorization_pending' } }

  test('errors with status 200, and a token beside one, are errors (GitHub)', async () => {
    const { slept, token: got } = await signIn([
      waiting,
      { json: { error: 'slow_down', interval: 9, access_token: 'no' } },
      token,
    ])
    expect(slept).toEqual([2, 2, 9])
    expect(got).toMatchObject({ status: 'complete', tokens: { accessToken: 't' } })
  })

  test('forms are read as JSON is', async () => {
    const { token: got, requests } = await signIn(
      [{ form: 'error=authorization_pending' }, { form: 'access_token=t&scope=a%2Cb&token_type=bearer' }],
      {
        form: 'device_code=d&user_code=U&verification_uri=https%3A%2F%2Fservice.example%2Fdevice&interval=3',
      },
    )
    expect(got).toMatchObject({ tokens: { accessToken: 't', scopes: ['a', 'b'] } })
    expect(requests[0]?.get('device_code')).toBe('d')
    expect(requests[0]?.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:device_code')
  })

  test('a page in place of an answer is an error that says so', async () => {
    const html: EndpointAnswer = {
      headers: { 'content-type': 'text/html' },
      body: ['<!doctype html><title>Are you human?</title><p>access_token=secret'],
    }
    const { error } = await signIn([html])
    expect(error?.message).toMatch(/neither JSON nor a form.*Are you human\?/)
    expect(error?.message).not.toContain('secret')
  })

  test('a server that is down for a while is asked again', async () => {
    const { token: got, slept } = await signIn([
      { status: 500, headers: { 'content-type': 'text/html' }, body: ['<html>down</html>'] },
      { ending: 'destroy', body: [] },
      token,
    ])
    expect(got).toMatchObject({ status: 'complete' })
    expect(slept).toEqual([2, 4, 8])
  })

  test('pending for ever stops at expires_in', async () => {
    const { error } = await signIn([waiting])
    expect(error).toMatchObject({ code: 'sign-in-expired' })
  })

  test('incorrect_device_code ends it', async () => {
    const { error } = await signIn([{ status: 400, json: { error: 'incorrect_device_code' } }])
    expect(error).toMatchObject({ serviceCode: 'incorrect_device_code' })
  })
})

async function send(request: OAuthRequest) {
  let response: Response
  try {
    response = await fetch(request.url, {
      method: 'POST',
      headers: request.headers,
      body: request.body,
      redirect: 'manual',
    })
    const body = new Uint8Array(await response.arrayBuffer())
    return createHttpResponse({ status: response.status, headers: [...response.headers], body })
  } catch {
    throw new TransportError('connection-lost', 'The connection was lost')
  }
}

/** As the contract's error arrives at the host. */
function asHostError({ kind, message, code, status }: GuestError): ProviderError {
  return new ProviderError({
    kind,
    message,
    ...(code !== undefined && { providerCode: code }),
    ...(status !== undefined && { status }),
  })
}
