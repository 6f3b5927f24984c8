import { AirlockError, TransportError, type TransportErrorCode } from '../errors.ts'

const BY_CODE: Readonly<Record<string, readonly [TransportErrorCode, string]>> = {
  ECONNREFUSED: ['connect-failed', 'connection refused'],
  EHOSTUNREACH: ['connect-failed', 'no route to that host'],
  ENETUNREACH: ['connect-failed', 'the network is not reachable'],
  EADDRNOTAVAIL: ['connect-failed', 'no local address to connect from'],
  EACCES: ['connect-failed', 'the system does not allow it'],
  EMFILE: ['connect-failed', 'this process has too many open files'],
  ENFILE: ['connect-failed', 'this machine has too many open files'],
  ETIMEDOUT: ['timed-out', 'no connection in time'],
  UND_ERR_CONNECT_TIMEOUT: ['timed-out', 'no connection in time'],
  ENOTFOUND: ['dns-failed', 'no such host name'],
  ENODATA: ['dns-failed', 'that host name has no address'],
  EAI_AGAIN: ['dns-failed', 'host names cannot be looked up now'],
  EAI_FAIL: ['dns-failed', 'host names cannot be looked up now'],
  EAI_NODATA: ['dns-failed', 'that host name has no address'],
  EAI_NONAME: ['dns-failed', 'no such host name'],
  UND_ERR_HEADERS_OVERFLOW: ['too-large', 'the headers of its answer are too long'],
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: [
    'connection-lost',
    'the connection closed before the answer was complete',
  ],
  UND_ERR_PRX_TLS: ['tls-failed', "the proxy's certificate is not valid"],
  UND_ERR_PRX_CONN: ['connect-failed', 'the proxy closed the connection'],
  UND_ERR_ABORTED: ['connect-failed', 'the proxy refused the connection'],
  UND_ERR_INVALID_ARG: ['invalid-request', 'the request is not valid HTTP'],
  UND_ERR_NOT_SUPPORTED: ['invalid-request', 'the request is not valid HTTP'],
  UND_ERR_REQ_CONTENT_LENGTH_MISMATCH: ['invalid-request', 'the request is not valid HTTP'],
  UND_ERR_DESTROYED: ['connection-lost', 'its connections were closed by this host'],
  UND_ERR_CLOSED: ['connection-lost', 'its connections were closed by this host'],
}

/** OpenSSL's verdicts (CERT_HAS_EXPIRED, UNABLE_TO_VERIFY_LEAF_SIGNATURE, ...) and Node's own. */
const TLS_CODE = /CERT|^ERR_TLS_|^ERR_SSL_|^EPROTO$|^UNABLE_TO_|^CRL_|SIGNATURE|_CA$/

/**
 * The error of a failed exchange, told for a person: origin and reason, no query, no header, no body. Errors of
 * Airlock's own pass. The cause is kept only where it is the system's: a parser's error holds what it read.
 */
export function toTransportError(error: unknown, origin: string): Error {
  if (error instanceof AirlockError) return error
  const { code, isSystem } = describe(error)
  const cause = isSystem ? { cause: error } : undefined
  const known = BY_CODE[code]
  if (known !== undefined) {
    const [kind, reason] = known
    return new TransportError(kind, `Cannot reach ${origin}: ${reason}`, cause)
  }
  if (error instanceof Error && error.name === 'HTTPParserError') {
    return new TransportError('invalid-response', `Cannot read the answer of ${origin}: it is not HTTP`)
  }
  if (TLS_CODE.test(code)) {
    return new TransportError('tls-failed', `Cannot reach ${origin}: no secure connection (${code})`, cause)
  }
  return new TransportError(
    'connection-lost',
    `The connection to ${origin} was lost before the answer was complete`,
    cause,
  )
}

function describe(error: unknown): { code: string; isSystem: boolean } {
  // Several addresses were tried; the first failure is that of the address that was liked best.
  if (error instanceof AggregateError && error.errors.length > 0) return describe(error.errors[0])
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') {
    return { code: '', isSystem: false }
  }
  return { code: error.code, isSystem: 'syscall' in error }
}
