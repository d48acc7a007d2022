import { Duplex } from 'node:stream'
import { AnswerTooLong } from './answer_limit.ts'

/**
 * So much may come before the other side has proved its name. Its certificates are in it, most have 4 to 8 KB, and
 * OpenSSL verifies the signatures of all before anybody asks who vouches for them: those of costly keys can take a tenth
 * of a second.
 */
export const handshakeBytesMax = 12_288

/**
 * TLS writes so much at most besides the body of a request and its records. A handshake and the head of a request have
 * 4 KB. Servers can have TLS write: a KeyUpdate is answered with another.
 */
export const ownBytesMax = 16_384

/** TLS reads so much in one go, and the thread serves others in between. That is up to 190 records of one byte. */
const stepBytes = 4_096

class HandshakeTooLong extends Error {
  override readonly name = 'HandshakeTooLong'
  readonly code = 'HANDSHAKE_TOO_LONG'
}

class SecondHandshake extends Error {
  override readonly name = 'SecondHandshake'
  readonly code = 'SECOND_HANDSHAKE'
}

type Limits = {
  readonly securedBytesMax: number
  /** The body of the request. */
  readonly bodyBytes: number
}

/**
 * Returns the bytes of a connection for TLS to run over, which reads those of a socket itself, where nobody can count
 * them. At most `handshakeBytesMax` come before the other side has proved its name to what `protects` was called with,
 * and `securedBytesMax` afterwards. HTTP does not see all of them: records may have one byte each, and new keys may come
 * without end.
 */
export function limitBelowTls(raw: Duplex, { securedBytesMax, bodyBytes }: Limits) {
  const writtenBytesMax = Math.ceil((bodyBytes * 257) / 256) + ownBytesMax // a record of 16 KB has 29 bytes more
  let bytes = 0
  let written = 0
  let isProved = false
  const stream = inSteps(raw, {
    read(count) {
      bytes += count
      return bytes > (isProved ? securedBytesMax : handshakeBytesMax) ? tooLong() : undefined
    },
    written(count) {
      written += count
      if (written <= writtenBytesMax) return undefined
      return new AnswerTooLong(`it has TLS write more than ${writtenBytesMax} bytes`)
    },
  })

  function tooLong(): Error {
    return isProved
      ? new AnswerTooLong(`its answer is longer than ${securedBytesMax} bytes of TLS`)
      : new HandshakeTooLong(`its handshake is longer than ${handshakeBytesMax} bytes`)
  }

  /** Says which connection of TLS runs over the stream. */
  function protects(connection: Duplex): void {
    connection.on('secureConnect', () => {
      // For each HelloRequest, of four bytes, Node would read and judge the certificates again.
      if (isProved) return void connection.destroy(new SecondHandshake('it begins a second handshake'))
      bytes = 0
      isProved = true
    })
  }
  return { stream, protects }
}

/**
 * Returns the bytes of a connection whose other side says little in all, for a client that may begin TLS on it by itself,
 * at once or later. Nobody sees then when the other side has proved its name.
 */
export function limitInAll(raw: Duplex, bytesMax: number): Duplex {
  let bytes = 0
  return inSteps(raw, {
    read(count) {
      bytes += count
      return bytes > bytesMax ? new AnswerTooLong(`it says more than ${bytesMax} bytes`) : undefined
    },
    written: () => undefined,
  })
}

type Counts = {
  /** Counts bytes from the other side. Returns why the connection ends, if they are too many. */
  readonly read: (count: number) => Error | undefined
  readonly written: (count: number) => Error | undefined
}

/** Returns the bytes of a connection, which are read in steps. Between two of them a thread can be ended too. */
function inSteps(raw: Duplex, { read, written }: Counts): Duplex {
  let isHungry = false
  const stream = new Duplex({
    readableHighWaterMark: stepBytes,
    read: () => void setImmediate(take),
    write(chunk: Uint8Array, _encoding, done) {
      const tooMany = written(chunk.length)
      if (tooMany === undefined) raw.write(chunk, done)
      else done(tooMany)
    },
    final: (done) => void raw.end(done),
    destroy(error, done) {
      raw.destroy()
      setImmediate(done, error) // Behind the error with which TLS leaves it, which says more than that it is closed.
    },
  })
  raw.on('readable', () => {
    if (isHungry) take()
  })
  raw.on('end', () => stream.push(null))
  raw.on('error', (error) => stream.destroy(error))

  function take(): void {
    if (stream.destroyed) return
    const chunk: Uint8Array | null = raw.read(Math.min(raw.readableLength, stepBytes))
    isHungry = chunk === null
    if (chunk === null) return
    const tooMany = read(chunk.length)
    if (tooMany === undefined) stream.push(chunk)
    else stream.destroy(tooMany)
  }
  return stream
}
