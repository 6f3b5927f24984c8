import { crc32 } from 'node:zlib'

/** One message as the service writes it; checksums by another hand than the one that reads them. */
export function message(headers: Readonly<Record<string, string>>, payload: unknown): Buffer {
  const body = Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload))
  const encoded = Buffer.concat(Object.entries(headers).map(([name, value]) => textHeader(name, value)))
  return frame(encoded, body)
}

export function frame(headers: Buffer, body: Buffer): Buffer {
  const prelude = Buffer.alloc(12)
  prelude.writeUInt32BE(16 + headers.length + body.length, 0)
  prelude.writeUInt32BE(headers.length, 4)
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8)
  const checked = Buffer.concat([prelude, headers, body])
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32(checked), 0)
  return Buffer.concat([checked, checksum])
}

export function textHeader(name: string, value: string): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(Buffer.byteLength(value))
  return Buffer.concat([named(name, 7), length, Buffer.from(value)])
}

/** The name, and the type of the value that follows. */
export function named(name: string, type: number): Buffer {
  return Buffer.concat([Buffer.from([Buffer.byteLength(name)]), Buffer.from(name), Buffer.from([type])])
}

/** An event of ConverseStream; the service pads its payloads with a field `p`. */
export function event(type: string, payload: object): Buffer {
  return message(
    { ':event-type': type, ':content-type': 'application/json', ':message-type': 'event' },
    { ...payload, p: 'abcdefgh' },
  )
}

export function exception(type: string, text: string): Buffer {
  return message(
    { ':exception-type': type, ':content-type': 'application/json', ':message-type': 'exception' },
    { message: text },
  )
}
