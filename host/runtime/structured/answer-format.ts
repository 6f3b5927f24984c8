import * as z from 'zod'
import { checkJsonSchema } from '../../contract/check-json-schema.ts'
import { describeIssue, formatPath } from '../../contract/describe-issue.ts'
import { createJsonValidator, type SchemaIssue } from '../../contract/json-schema.ts'
import type { parseRequest } from '../../contract/request.ts'
import { InvalidRequestError } from '../../errors.ts'
import { isObjectSchema, wrapSchema } from './wrap-schema.ts'

type ResponseFormat = NonNullable<ReturnType<typeof parseRequest>['responseFormat']>

/** What an answer is asked to be. */
export interface AnswerFormat {
  name: string
  strict: boolean
  /** The caller's schema as JSON Schema, of what the model writes. */
  schema: Record<string, unknown>
  /** The same with an object at its top, which is all that several services take; see `wrapSchema`. */
  objectSchema: Record<string, unknown>
  isWrapped: boolean
  /** Holds a value to the caller's own schema. */
  check(value: unknown): Promise<CheckedAnswer>
}

/** `answer` is what the schema makes of the value: with zod, its output. */
export type CheckedAnswer = { answer: unknown } | { issues: SchemaIssue[]; cause?: unknown }

const WHOLE = 'the answer'

/** @throws {InvalidRequestError} where the schema cannot be used */
export function readAnswerFormat({ name, schema: given, strict = true }: ResponseFormat): AnswerFormat {
  try {
    const schema = given instanceof z.ZodType ? z.toJSONSchema(given, { io: 'input' }) : given
    const [problem] = given instanceof z.ZodType ? [] : checkJsonSchema(given)
    if (problem) throw new TypeError(problem.message)
    const isWrapped = !isObjectSchema(schema)
    return {
      name,
      strict,
      schema,
      objectSchema: isWrapped ? wrapSchema(schema) : schema,
      isWrapped,
      check: given instanceof z.ZodType ? zodCheck(given) : jsonSchemaCheck(given),
    }
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    const message = `Cannot ask for an answer by this schema: responseFormat.schema cannot be used: ${why}`
    throw new InvalidRequestError('responseFormat.schema', message, { cause })
  }
}

function jsonSchemaCheck(schema: Record<string, unknown>): AnswerFormat['check'] {
  const validate = createJsonValidator(schema, { whole: WHOLE })
  return async value => {
    const issues = validate(value)
    return issues.length > 0 ? { issues } : { answer: value }
  }
}

function zodCheck(schema: z.ZodType): AnswerFormat['check'] {
  return async value => {
    try {
      const parsed = await schema.safeParseAsync(value, { reportInput: true })
      if (parsed.success) return { answer: parsed.data }
      // zod's own error goes no further: it holds what it was given.
      return {
        issues: parsed.error.issues.map(issue => ({
          path: formatPath(issue.path),
          message: describeIssue(issue, schema, { whole: WHOLE, repeatsValues: false }),
        })),
      }
    } catch (cause) {
      // A transform that throws, or a schema that calls itself too often: the value did not fit.
      const message = `${WHOLE} could not be read: ${cause instanceof Error ? cause.message : cause}`
      return { issues: [{ path: '', message }], cause }
    }
  }
}
