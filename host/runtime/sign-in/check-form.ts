import type { SignInField } from '../../contract/sign-in.ts'
import { CredentialError } from '../../credentials/credential-error.ts'
import { MAX_CREDENTIAL_CHARS, parseCredentialValue } from '../../credentials/credential-value.ts'
import { InvalidOptionError } from '../../errors.ts'

/**
 * What was entered, field by field, without blanks around it; a field that was left empty is empty.
 * @throws {CredentialError} `invalid-credential` for a value that cannot be sent. No message holds a value.
 * @throws {InvalidOptionError} where a required field is missing, or there is no such field
 */
export function checkForm(
  fields: readonly SignInField[],
  entered: Readonly<Record<string, unknown>>,
): { key: string; value: string; secret: boolean }[] {
  const known = fields.map(({ key }) => key)
  const unknown = Object.keys(entered).find(key => !known.includes(key))
  if (unknown !== undefined)
    throw new InvalidOptionError(
      `Cannot sign in: there is no field ${JSON.stringify(unknown)}: the form has ${known.join(', ')}`,
    )
  return fields.map(({ key, label, secret, required }) => {
    const given = Object.hasOwn(entered, key) ? entered[key] : ''
    const value = typeof given === 'string' ? given.trim() : ''
    if (value === '') {
      if (required)
        throw new InvalidOptionError(`Cannot sign in: the field "${key}" (${label}) must not be empty`)
      return { key, value, secret }
    }
    if (secret) return { key, value: parseCredentialValue(value, `the field "${key}"`), secret }
    if (/[\u0000-\u001f\u007f]/.test(value) || value.length > MAX_CREDENTIAL_CHARS)
      throw new CredentialError(
        'invalid-credential',
        `Cannot use the field "${key}": it must be one line of text`,
      )
    return { key, value, secret }
  })
}
