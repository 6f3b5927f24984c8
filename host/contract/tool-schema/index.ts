export { convertSchema } from './convert.ts'
export type { JsonSchema, SchemaLoss, ToolInputFormat } from './schema.ts'
