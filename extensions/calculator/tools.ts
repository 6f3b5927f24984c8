import { defineTool, defineTools } from '@airlock/guest-sdk'
import { countText } from './count-text.ts'
import { addToDate, describeDifference, formatDate, parseDate, today } from './dates.ts'
import { evaluate } from './evaluate.ts'

// What models get wrong when they do it in their heads: sums, dates, and the letters of a word.
export default defineTools([
  defineTool({
    id: 'calculate',
    description:
      'Works out an arithmetic expression. Call it for any sum that has more than two small numbers. ' +
      'Knows + - * / % ^ and parentheses; sqrt, abs, round, floor, ceil, ln, log10, exp, sin, cos, tan, min, max; pi, e.',
    inputSchema: {
      type: 'object',
      properties: {
        expression: {
          type: 'string',
          maxLength: 2000,
          description: 'e.g. "(1299.90 - 15%) * 3" is "1299.90 * 0.85 * 3"',
        },
      },
      required: ['expression'],
      additionalProperties: false,
    },
    invoke: ({ expression }) => evaluate(expression),
  }),

  defineTool({
    id: 'date_add',
    description:
      'Adds years, months, weeks and days to a date, or takes them away where they are negative, and names the day of ' +
      'the week. Call it to find a date, a deadline or a weekday.',
    inputSchema: {
      type: 'object',
      properties: {
        date: { type: 'string', description: 'YYYY-MM-DD. Default: today, UTC.' },
        years: { type: 'integer' },
        months: { type: 'integer', description: 'The 31st becomes the last day of a shorter month.' },
        weeks: { type: 'integer' },
        days: { type: 'integer' },
      },
      additionalProperties: false,
    },
    invoke: ({ date, ...span }) =>
      formatDate(addToDate(date === undefined ? today() : parseDate(date), span)),
  }),

  defineTool({
    id: 'date_difference',
    description: 'How long it is from one date to another: in days, in weeks, and in years, months and days.',
    inputSchema: {
      type: 'object',
      properties: {
        from: { type: 'string', description: 'YYYY-MM-DD. Default: today, UTC.' },
        to: { type: 'string', description: 'YYYY-MM-DD. Default: today, UTC.' },
      },
      additionalProperties: false,
    },
    invoke({ from, to }) {
      if (from === undefined && to === undefined) throw new Error('give from, to, or both')
      return describeDifference(
        from === undefined ? today() : parseDate(from),
        to === undefined ? today() : parseDate(to),
      )
    },
  }),

  defineTool({
    id: 'count_text',
    description:
      'Counts characters, words and lines of a text, and how often something is in it. Call it to count letters.',
    inputSchema: {
      type: 'object',
      properties: {
        text: { type: 'string' },
        find: {
          type: 'string',
          minLength: 1,
          description: 'Also count this; upper and lower case are the same.',
        },
      },
      required: ['text'],
      additionalProperties: false,
    },
    invoke: ({ text, find }) => countText(text, find),
  }),
])
