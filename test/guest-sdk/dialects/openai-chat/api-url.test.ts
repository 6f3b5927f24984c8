import { expect, test } from 'vitest'
import { endpointUrl } from '../../../../guest-sdk/dialects/openai-chat/index.ts'

test.each([
  ['http://127.0.0.1:8080', 'http://127.0.0.1:8080/v1/chat/completions'],
  ['http://127.0.0.1:8080/', 'http://127.0.0.1:8080/v1/chat/completions'],
  ['http://127.0.0.1:8080/v1', 'http://127.0.0.1:8080/v1/chat/completions'],
  ['http://127.0.0.1:8080/v1/', 'http://127.0.0.1:8080/v1/chat/completions'],
  [' http://127.0.0.1:8080//v1// ', 'http://127.0.0.1:8080/v1/chat/completions'],
  ['https://a.example/v1?key=1&b=2', 'https://a.example/v1/chat/completions?key=1&b=2'],
  ['https://a.example?key=1', 'https://a.example/v1/chat/completions?key=1'],
  ['https://a.example/v1#part', 'https://a.example/v1/chat/completions'],
  ['https://a.example/openai/v1', 'https://a.example/openai/v1/chat/completions'],
  ['https://a.example/api', 'https://a.example/api/v1/chat/completions'],
  ['https://a.example/v1beta/openai/', 'https://a.example/v1beta/openai/chat/completions'],
  ['https://a.example/api/paas/v4', 'https://a.example/api/paas/v4/chat/completions'],
  [
    'https://a.example/deployments/d/chat/completions?api-version=1',
    'https://a.example/deployments/d/chat/completions?api-version=1',
  ],
  ['HTTPS://A.example/v1', 'HTTPS://A.example/v1/chat/completions'],
])('endpointUrl: %s (N6)', (base, url) => {
  expect(endpointUrl(base, 'chat/completions', 'apiUrl')).toBe(url)
  expect(endpointUrl(base, 'models', 'apiUrl')).toBe(url.replace('chat/completions', 'models'))
})

test.each(['127.0.0.1:8080/v1', 'ftp://a.example', 'http://', 'v1', 'http:// a.example'])(
  'endpointUrl: %s is no URL, and the message says where it stands',
  base => {
    expect(() => endpointUrl(base, 'models', 'providers.x.apiUrl')).toThrow(
      expect.objectContaining({
        kind: 'invalid-request',
        message: `Cannot use providers.x.apiUrl: it must be an http or https URL such as http://127.0.0.1:8080/v1: current value is "${base}"`,
      }),
    )
  },
)
