/** Where a key can come from, first wins. What the user did for Airlock goes before what the shell happens to hold. */
export const CREDENTIAL_ORDER = ['stored', 'environment'] as const

export type CredentialSource =
  /** Stored by `airlock login` or a sign-in of the library. */
  | { from: 'stored' }
  /** A variable that the extension was granted and the settings allow. */
  | { from: 'environment'; variable: string }

export interface CredentialSources {
  /** Where the key that is used comes from. Undefined: there is none. */
  used: CredentialSource | undefined
  /** Keys that are there and are not used, since another goes before them. */
  shadowed: CredentialSource[]
}

/**
 * Which of a provider's keys is used. `variables` are those that the extension may read, in the manifest's order:
 * the first that holds something goes before the rest.
 */
export function findCredentialSource(
  isStored: boolean,
  variables: readonly string[],
  env: NodeJS.ProcessEnv,
): CredentialSources {
  const present: Record<(typeof CREDENTIAL_ORDER)[number], CredentialSource[]> = {
    stored: isStored ? [{ from: 'stored' }] : [],
    environment: variables
      .filter(variable => env[variable]?.trim())
      .map(variable => ({ from: 'environment', variable })),
  }
  const [used, ...shadowed] = CREDENTIAL_ORDER.flatMap(from => present[from])
  return { used, shadowed }
}
