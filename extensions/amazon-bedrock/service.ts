import { type Context, isObject, ProviderError } from '@airlock/guest-sdk'
import { type AwsCredentials, signRequest } from '@airlock/guest-sdk/dialects/bedrock-converse'

const SETTING = 'providers.amazon-bedrock.apiUrl'

/** Who asks: by a key that is sent along, or by keys that only sign. */
export type Identity = { bearer: string } | { keys: AwsCredentials }

/** What signing in stored: a Bedrock API key as it is, access keys as JSON. */
export interface StoredKeys extends AwsCredentials {
  region?: string
}

/** The signed-in user, else the environment. */
export function findIdentity(context: Context): Identity | undefined {
  const stored = context.credential()?.trim()
  const keys = stored ? readStoredKeys(stored) : undefined
  if (keys) return { keys }
  if (stored) return { bearer: stored }
  const bearer = env(context, 'AWS_BEARER_TOKEN_BEDROCK')
  if (bearer !== undefined) return { bearer }
  const accessKeyId = env(context, 'AWS_ACCESS_KEY_ID')
  const secretAccessKey = env(context, 'AWS_SECRET_ACCESS_KEY')
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined
  const sessionToken = env(context, 'AWS_SESSION_TOKEN')
  return { keys: { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) } }
}

/** By the URL of the settings, by what the user signed in with, by the environment. */
export function findRegion(context: Context): string | undefined {
  const stored = context.credential()?.trim()
  const fromUrl = /^https?:\/\/[^/]*?\bbedrock(?:-runtime)?(?:-fips)?\.([a-z0-9-]+)\./i.exec(
    ownUrl(context) ?? '',
  )?.[1]
  return (
    fromUrl ??
    (stored ? readStoredKeys(stored)?.region : undefined) ??
    env(context, 'AWS_REGION') ??
    env(context, 'AWS_DEFAULT_REGION')
  )
}

export interface SignedRequest {
  url: string
  headers: Record<string, string>
}

/**
 * A request with the proof of who sends it. `plane`: models answer on one host and are listed on another.
 * @throws {ProviderError} where nobody is signed in, or no region is known; the message says what to do
 */
export function signedRequest(
  context: Context,
  request: { plane: 'bedrock-runtime' | 'bedrock'; method: 'get' | 'post'; path: string; body?: string },
): SignedRequest {
  const { plane, method, path, body } = request
  const identity = findIdentity(context)
  if (!identity) {
    throw new ProviderError({
      kind: 'authentication',
      message:
        'Cannot ask Amazon Bedrock: there are no keys. Run "airlock login amazon-bedrock", or set AWS_ACCESS_KEY_ID and ' +
        'AWS_SECRET_ACCESS_KEY, or AWS_BEARER_TOKEN_BEDROCK.',
    })
  }
  const region = requireRegion(context)
  const url = `${baseUrl(context, plane, region)}${path}`
  const headers = body === undefined ? {} : { 'content-type': 'application/json' }
  if ('bearer' in identity)
    return { url, headers: { ...headers, authorization: `Bearer ${identity.bearer}` } }
  const signed = signRequest({
    method,
    url,
    headers,
    body: body ?? '',
    region,
    service: 'bedrock',
    credentials: identity.keys,
    now: context.now(),
  })
  return { url, headers: signed }
}

/** What the user entered, as it is stored. */
export function writeStoredKeys(form: Readonly<Record<string, string>>): string {
  const fields = ['accessKeyId', 'secretAccessKey', 'sessionToken', 'region']
  const entered = fields.map(field => [field, form[field]?.trim()]).filter(([, value]) => value)
  return JSON.stringify(Object.fromEntries(entered))
}

export function ownUrl(context: Context): string | undefined {
  return context.settings()?.apiUrl?.trim() || undefined
}

function requireRegion(context: Context): string {
  const region = findRegion(context)
  if (region !== undefined && /^[a-z0-9-]{1,40}$/.test(region)) return region
  throw new ProviderError({
    kind: 'invalid-request',
    message:
      region === undefined
        ? `Cannot tell which AWS region to ask: set AWS_REGION, or ${SETTING} to its address, for example: ` +
          `airlock settings set ${SETTING} https://bedrock-runtime.us-east-1.amazonaws.com`
        : `Cannot use the AWS region ${JSON.stringify(region)}: it must be a name such as us-east-1`,
  })
}

function baseUrl(context: Context, plane: 'bedrock-runtime' | 'bedrock', region: string): string {
  const own = ownUrl(context)
  if (own === undefined) return `https://${plane}.${region}.amazonaws.com`
  const parts = /^(https?:\/\/[^/?#\s]+)([^?#\s]*)$/i.exec(own)
  if (!parts) {
    throw new ProviderError({
      kind: 'invalid-request',
      message: `Cannot use ${SETTING}: it must be an http or https URL such as https://bedrock-runtime.us-east-1.amazonaws.com: current value is ${JSON.stringify(own)}`,
    })
  }
  const [, origin = '', path = ''] = parts
  // Of a host of AWS's the other plane is known; any other host is taken to be both.
  const host = plane === 'bedrock' ? origin.replace('://bedrock-runtime', '://bedrock') : origin
  return `${host}${path.replace(/\/+$/, '')}`
}

function readStoredKeys(stored: string): StoredKeys | undefined {
  if (!stored.startsWith('{')) return undefined
  let value: unknown
  try {
    value = JSON.parse(stored)
  } catch {
    return undefined
  }
  if (!isObject(value)) return undefined
  const text = (field: string) => {
    const found = value[field]
    return typeof found === 'string' && found.trim() !== '' ? found.trim() : undefined
  }
  const accessKeyId = text('accessKeyId')
  const secretAccessKey = text('secretAccessKey')
  const sessionToken = text('sessionToken')
  const region = text('region')
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined
  return {
    accessKeyId,
    secretAccessKey,
    ...(sessionToken !== undefined && { sessionToken }),
    ...(region !== undefined && { region }),
  }
}

function env(context: Context, name: string): string | undefined {
  return context.env(name)?.trim() || undefined
}
