import type { ResponseBody } from '../http/body.ts'

/** A body that is asked for, chunk by chunk: its socket is read only while somebody waits. */
export interface ChunkReader {
  /** All that has arrived, or the next chunk, or undefined at the end. Rejects once the body has failed. */
  next(): Promise<Uint8Array | undefined>
  /** Frees the socket; whoever waits gets the reason. */
  cancel(): void
}

export function createChunkReader(body: ResponseBody): ChunkReader {
  let arrived: Uint8Array[] = []
  let ended = false
  let failure: Error | undefined
  let waiter: { resolve: (chunk: Uint8Array | undefined) => void; reject: (error: Error) => void } | undefined

  function tell(): void {
    if (waiter === undefined) return
    const { resolve, reject } = waiter
    if (arrived.length > 0) resolve(take())
    else if (failure !== undefined) reject(failure)
    else if (ended) resolve(undefined)
    else return
    waiter = undefined
  }

  function take(): Uint8Array {
    // A copy: chunks share their memory with others, and this one goes to another thread.
    const chunk = new Uint8Array(Buffer.concat(arrived))
    arrived = []
    return chunk
  }

  body.pipe({
    data(chunk) {
      arrived.push(chunk)
      body.pause()
      tell()
    },
    end() {
      ended = true
      tell()
    },
    error(error) {
      failure = error
      tell()
    },
  })

  return {
    next() {
      if (waiter !== undefined) return Promise.reject(new TypeError('a chunk is being waited for already'))
      return new Promise((resolve, reject) => {
        waiter = { resolve, reject }
        tell()
        body.resume()
      })
    },
    cancel() {
      arrived = []
      body.cancel()
    },
  }
}
