import type { TokenUsage } from '../../contract/events.ts'
import type { CompletionRequest } from '../../contract/request.ts'
import { createMemoryStore } from '../../credentials/memory-store.ts'
import type { DemoService } from '../../demo/service.ts'
import type { Airlock } from '../../runtime/airlock.ts'
import type { Cli } from '../cli.ts'
import { openAirlock } from '../open-airlock.ts'
import { formatSheet } from '../permission-sheet.ts'
import { describeUsage } from '../print-events.ts'
import { formatTable } from '../terminal/table.ts'
import { createStage, type Stage } from './stage.ts'

export interface DemoSetting {
  /** A fresh home whose settings name the service. */
  home: string
  service: DemoService
  /** What the service asks for. */
  key: string
  json: boolean
}

const EXTENSION = 'openai-compatible'
const SIGN_IN_EXTENSION = 'demo'
const MODEL = `${EXTENSION}/parrot-1`
const QUESTION = 'What happens to these words?'
const TOOL_QUESTION = 'How is the weather in Lisbon?'
const WEATHER_TOOL = {
  name: 'get_weather',
  description: 'The weather in a city, right now.',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}

/** Six short steps, each shown as it happens. Returns the environment variable that the extension takes its key from. */
export async function runDemo(
  cli: Cli,
  { home, service, key, json }: DemoSetting,
): Promise<string | undefined> {
  const credentials = createMemoryStore([[{ extension: EXTENSION, provider: EXTENSION }, key]])
  await using airlock = await openAirlock(cli, { home, credentials })
  const stage = createStage(cli, json)

  const variable = await showInstall(airlock, stage, cli)
  await showModels(airlock, stage)
  const first = await showAnswer(airlock, stage, cli)
  const second = await showToolCall(airlock, stage, cli)
  await showSignIn(airlock, stage, cli)
  showWhatHappened(stage, { service, key, usages: [first, ...second] })
  return variable
}

async function showInstall(airlock: Airlock, stage: Stage, { signal }: Cli): Promise<string | undefined> {
  stage.step('Install an extension, and see what you agree to')
  const installed = await airlock.install(EXTENSION, {
    // The demo says yes in its own temporary home, to an extension that came with this program.
    agree: sheet => {
      for (const line of formatSheet(sheet, sheet.permissions, stage.width)) stage.line(...line)
      return true
    },
    signal,
  })
  const { manifest } = installed.package
  stage.result('install', { id: manifest.id, version: manifest.version, permissions: installed.granted })
  return installed.granted.env[0]
}

async function showModels(airlock: Airlock, stage: Stage): Promise<void> {
  stage.step('List the models of a service on this machine')
  const { models, failures } = await stage.waitFor(
    'starting the sandbox',
    airlock.models({ provider: EXTENSION }),
  )
  const [failure] = failures
  if (failure) throw failure.error
  const rows = models.map(({ reference, name, maxTokenCount }) => [reference, name, `${maxTokenCount}`])
  for (const line of formatTable(['MODEL', 'NAME', 'CONTEXT'], rows, { width: stage.width }))
    stage.line(...line)
  stage.result('models', { models: models.map(({ reference }) => reference) })
}

async function showAnswer(airlock: Airlock, stage: Stage, { signal }: Cli): Promise<TokenUsage | undefined> {
  stage.step('Stream an answer')
  stage.line({ text: `> ${QUESTION}`, style: 'cyan' })
  const request: CompletionRequest = { model: MODEL, messages: [{ role: 'user', content: QUESTION }] }
  const { text, usage } = await stage.answer(airlock.complete(request, { signal }))
  stage.result('answer', { text, usage })
  return usage
}

async function showToolCall(
  airlock: Airlock,
  stage: Stage,
  { signal }: Cli,
): Promise<(TokenUsage | undefined)[]> {
  stage.step('Run one tool call')
  stage.line({ text: `> ${TOOL_QUESTION}`, style: 'cyan' })
  const request: CompletionRequest = {
    model: MODEL,
    messages: [{ role: 'user', content: TOOL_QUESTION }],
    tools: [WEATHER_TOOL],
  }
  const asked = await stage.answer(airlock.complete(request, { signal }))
  const [call] = asked.toolUses
  if (!call) throw new Error('The demo model did not call its tool.')
  const content = getWeather(call.input)
  stage.line({ text: `← ${content}`, style: 'cyan' })

  request.messages.push(
    { role: 'assistant', content: asked.parts },
    { role: 'user', content: [{ type: 'tool-result', toolUseId: call.id, toolName: call.name, content }] },
  )
  const answered = await stage.answer(airlock.complete(request, { signal }))
  stage.result('tool-call', {
    toolUse: call,
    toolResult: content,
    text: answered.text,
    usage: answered.usage,
  })
  return [asked.usage, answered.usage]
}

async function showSignIn(airlock: Airlock, stage: Stage, { signal }: Cli): Promise<void> {
  stage.step('Sign in with a code, and without a browser')
  await airlock.install(SIGN_IN_EXTENSION, { agree: () => true, signal })
  stage.line({ text: `$ airlock login ${SIGN_IN_EXTENSION}`, style: 'cyan' })
  const signedIn = airlock.signIn(SIGN_IN_EXTENSION, {
    signal,
    ui: {
      showDeviceCode({ userCode, verificationUrl }) {
        stage.line('Enter ', { text: userCode, style: 'bold' }, ` at ${verificationUrl}`)
        stage.prose('The demo does it in your place; in real life you do, on any device.')
      },
    },
  })
  const { models, failure } = await stage.waitFor('waiting for the code to be confirmed', signedIn)
  if (failure) throw failure
  stage.line(`Signed in. The host keeps the token; ${models.length} models can be used with it.`)
  const { providers } = await airlock.status()
  const status = providers.find(({ provider }) => provider === SIGN_IN_EXTENSION)
  stage.result('sign-in', { provider: SIGN_IN_EXTENSION, models: models.length, ...status?.credential })
}

/** Ours to run: the model only asks for it. */
function getWeather(input: string): string {
  const { city } = JSON.parse(input) as { city?: unknown }
  return `22 degrees and clear in ${String(city)}`
}

function showWhatHappened(
  stage: Stage,
  { service, key, usages }: { service: DemoService; key: string; usages: (TokenUsage | undefined)[] },
): void {
  const usage = addUp(usages)
  const asked = service.requests.filter(({ path }) => path.startsWith('/v1/'))
  const authorized = asked.filter(({ headers }) => headers.authorization === `Bearer ${key}`)
  const { origin } = new URL(service.url)
  const requests = `${authorized.length} of ${asked.length} requests carried it`

  stage.step('What happened')
  stage.line(`Usage     ${describeUsage(usage)}`)
  stage.line(`Reach     ${origin}, since the settings name it; nothing else`)
  stage.line(`Key       ${key.slice(0, 9)}... reached the service: ${requests}`)
  stage.line('Sandbox   the extension held a stand-in for the key, and no socket')
  stage.result('summary', {
    usage,
    reach: [origin],
    requests: asked.length,
    withKey: authorized.length,
  })
}

function addUp(usages: readonly (TokenUsage | undefined)[]): TokenUsage {
  const sum = { inputTokens: 0, outputTokens: 0 }
  for (const usage of usages) {
    sum.inputTokens += usage?.inputTokens ?? 0
    sum.outputTokens += usage?.outputTokens ?? 0
  }
  return sum
}
