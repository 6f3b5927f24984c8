/** The flag and the help text that every command has. */
export const JSON_OPTION = [
  '--json',
  'print results as JSON, one object a line; an error is the last line',
] as const
