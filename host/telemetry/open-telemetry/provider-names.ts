/** Providers of Airlock that the conventions have a name of their own for; others keep theirs. */
const WELL_KNOWN: ReadonlyMap<string, string> = new Map([
  ['amazon-bedrock', 'aws.bedrock'],
  ['azure-openai', 'azure.ai.openai'],
  ['google-ai', 'gcp.gemini'],
  ['mistral', 'mistral_ai'],
  ['moonshot', 'moonshot_ai'],
  ['xai', 'x_ai'],
])

/** The value of `gen_ai.provider.name` for a provider's reference, which is `<id>` or `<extension>:<id>`. */
export function toProviderName(reference: string): string {
  const id = reference.slice(reference.indexOf(':') + 1)
  return WELL_KNOWN.get(id) ?? id
}
