import * as z from 'zod'
import { describeIssue } from '../contract/describe-issue.ts'
import type { ToolOutcome } from '../contract/generated/interfaces/airlock-llm-tools.js'
import { isTextType, ToolResult } from './tool-result.ts'

const MAX_PARTS = 1_000
/** Of all parts together, UTF-16 units: two images of 10 MB in base64. */
const MAX_UNITS = 32 * 1024 * 1024

const outcome = z.object({
  parts: z
    .array(
      z.object({
        contentType: z
          .string()
          .max(255)
          // RFC 6838, 4.2, with parameters behind it.
          .regex(/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+\s*(?:;[^\r\n]*)?$/, { error: 'must be a media type' }),
        data: z.string(),
      }),
    )
    .max(MAX_PARTS, { error: `must hold at most ${MAX_PARTS} parts` }),
  isError: z.boolean(),
})

/** What a guest's tool returned. @throws {TypeError} saying what of it does not fit the contract */
export function readGuestOutcome(value: unknown): ToolResult {
  const parsed = outcome.safeParse(value, { reportInput: true })
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const options = { whole: 'the outcome', repeatsValues: false }
    throw new TypeError(issue ? describeIssue(issue, outcome, options) : 'the outcome does not fit')
  }
  const { parts, isError } = parsed.data
  const units = parts.reduce((sum, { data }) => sum + data.length, 0)
  if (units > MAX_UNITS)
    throw new TypeError(`the outcome has ${units} characters: at most ${MAX_UNITS} are allowed`)
  const broken = parts.findIndex(({ contentType, data }) => !isTextType(contentType) && !isBase64(data))
  if (broken !== -1)
    throw new TypeError(
      `parts[${broken}].data must be base64, since "${parts[broken]?.contentType}" is no text`,
    )
  return new ToolResult({ parts, isError })
}

/** A result as a guest gets it. */
export function toGuestOutcome({ parts, isError }: ToolResult): ToolOutcome {
  return {
    parts: parts.map(({ contentType, data }) => ({ contentType, data: data.toWellFormed() })),
    isError,
  }
}

/** With or without its padding. */
export function isBase64(text: string): boolean {
  const end = text.endsWith('==') ? -2 : text.endsWith('=') ? -1 : text.length
  const digits = text.slice(0, end)
  return (
    (end === text.length || text.length % 4 === 0) &&
    digits.length % 4 !== 1 &&
    !/[^A-Za-z0-9+/]/.test(digits)
  )
}
