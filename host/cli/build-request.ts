import { readFile } from 'node:fs/promises'
import { type CompletionRequest, parseRequest } from '../contract/request.ts'
import { InvalidRequestError } from '../errors.ts'
import type { Cli } from './cli.ts'
import { UsageError } from './cli-errors.ts'
import { decodeUtf8, readStdin } from './read-stdin.ts'

export interface RequestInput {
  prompt?: string
  /** A file, or `-` for standard input. */
  requestFile?: string
  /** Wins over the file's. */
  model?: string
  system?: string
  maxTokens?: number
  temperature?: number
}

/** A request whose model is still to be chosen where neither file nor option name one. */
export type DraftRequest = Omit<CompletionRequest, 'model'> & { model?: string }

/**
 * What to send, from the command line, a request file and standard input.
 * @throws {UsageError} where nothing says what to send, or the file is not JSON.
 * @throws {InvalidRequestError} naming file and field that are wrong.
 */
export async function buildRequest(cli: Cli, input: RequestInput): Promise<DraftRequest> {
  const { requestFile, system, model, maxTokens, temperature } = input
  const draft = requestFile === undefined ? { messages: [] } : await readRequestFile(cli, requestFile)
  const prompt =
    input.prompt ?? (requestFile === undefined ? await readStdin(cli, 'a prompt as argument') : undefined)
  if (prompt?.trim() === '') throw new UsageError('The prompt is empty: write what the model should answer.')

  const request: DraftRequest = {
    ...draft,
    messages: [
      ...(system === undefined ? [] : [{ role: 'system' as const, content: system }]),
      ...draft.messages,
      ...(prompt === undefined ? [] : [{ role: 'user' as const, content: prompt.trimEnd() }]),
    ],
    ...(model === undefined ? {} : { model }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
  }
  return request
}

async function readRequestFile(cli: Cli, file: string): Promise<DraftRequest> {
  const name = file === '-' ? 'standard input' : file
  const text = file === '-' ? await readStdin(cli, 'a file to --request') : await readText(file)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new UsageError(`Cannot use ${name} as a request: it is not JSON: ${reason}`, { cause })
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError(`Cannot use ${name} as a request: it must hold one JSON object.`)
  try {
    // The model may come from an option or from the settings; everything else must be right by itself.
    const { model: _, ...draft } = parseRequest({ model: 'any', ...value })
    return 'model' in value && typeof value.model === 'string' ? { ...draft, model: value.model } : draft
  } catch (cause) {
    if (!(cause instanceof InvalidRequestError)) throw cause
    const rule = cause.message.replace(/^Cannot send this request: /, '')
    throw new InvalidRequestError(cause.path, `Cannot use ${name} as a request: ${rule}`, { cause })
  }
}

async function readText(file: string): Promise<string> {
  try {
    return decodeUtf8(await readFile(file))
  } catch (cause) {
    if (cause instanceof TypeError) throw new UsageError(`The request ${file} is not UTF-8 text.`, { cause })
    const reason = cause instanceof Error && 'code' in cause ? cause.code : cause
    const what = reason === 'ENOENT' ? 'there is no such file' : String(reason)
    throw new UsageError(`Cannot read the request ${file}: ${what}`, { cause })
  }
}
