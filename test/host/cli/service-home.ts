import {
  createDemoService,
  type DemoService,
  type DemoServiceOptions,
  type ReceivedRequest,
} from '../../../host/demo/service.ts'
import { createTestHome, type TestHome } from '../../support/home.ts'

export interface ServiceHome extends AsyncDisposable {
  service: DemoService
  home: TestHome
}

/** The demo service and a home whose settings point at it; its models are the service's own. */
export async function createServiceHome(
  options: DemoServiceOptions & { settings?: Record<string, unknown> } = {},
): Promise<ServiceHome> {
  const { settings = {}, ...serviceOptions } = options
  await using stack = new AsyncDisposableStack()
  const service = stack.use(await createDemoService(serviceOptions))
  const home = stack.use(
    await createTestHome({
      settings: {
        providers: { 'openai-compatible': { apiUrl: service.url } },
        aliases: { default: 'openai-compatible/parrot-1' },
        allowedEnv: { 'openai-compatible': ['OPENAI_COMPATIBLE_API_KEY'] },
        ...settings,
      },
    }),
  )
  const owned = stack.move()
  return { service, home, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

/** The last completion that the service was asked for. The list of models, which has the price, may have come later. */
export function lastCompletion({ requests }: DemoService): ReceivedRequest | undefined {
  return requests.findLast(({ path }) => path.endsWith('/chat/completions'))
}
