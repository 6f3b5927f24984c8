import type * as z from 'zod'
import type { AnswerSchema } from '../../contract/request.ts'

/** What `object()` gives: the output of a zod schema. JSON Schema says nothing that TypeScript could read. */
export type AnswerOf<Schema extends AnswerSchema> = [Schema] extends [never]
  ? never
  : Schema extends z.ZodType
    ? z.output<Schema>
    : unknown

/** What the model writes: the input of a zod schema. */
export type WrittenOf<Schema extends AnswerSchema> = [Schema] extends [never]
  ? never
  : Schema extends z.ZodType
    ? z.input<Schema>
    : unknown

/** A value of which not all has come: every property may be missing, and every list go on. */
export type PartialAnswer<Value> = Value extends readonly (infer Item)[]
  ? PartialAnswer<Item>[]
  : Value extends object
    ? { [Key in keyof Value]?: PartialAnswer<Value[Key]> }
    : Value
