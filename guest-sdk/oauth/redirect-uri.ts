/**
 * The redirect URI that the authorization URL was opened with: the template with the port that the host listened on.
 * A code is exchanged with exactly this one (RFC 6749, 4.1.3).
 */
export function redirectUriOf(template: string, port: number): string {
  return template.replaceAll('{port}', String(port))
}
