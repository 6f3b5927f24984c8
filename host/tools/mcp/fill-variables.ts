/**
 * The texts with each `${NAME}` replaced by the variable of that name. `where` leads to the text, for messages.
 * @throws {Error} naming a variable that is not set: half a key is no key
 */
export function fillVariables(
  texts: Readonly<Record<string, string>>,
  env: NodeJS.ProcessEnv,
  where: string,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [
      key,
      text.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => {
        const value = env[name]
        if (value !== undefined && value !== '') return value
        throw new Error(`the variable ${name} is not set: ${where}.${key} needs it`)
      }),
    ]),
  )
}
