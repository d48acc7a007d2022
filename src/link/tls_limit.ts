import { Duplex } from 'node:stream'
import { AnswerTooLong } from './answer_limit.ts'

/**
 * So much may come before the other side has proved its name. Its certificates are in it, most have 4 to 8 KB, and
 * OpenSSL verifies the signatures of all before anybody asks who vouches for them: those of costly keys can take a tenth
 * of a second.
 */
export const handshakeBytesMax = 12_288

/**
 * TLS may write so much besides the body of a request and its records. A handshake and the head of a request need 4 KB.
 * Servers can have TLS write more: it answers a KeyUpdate with another.
 */
export const ownBytesMax = 16_384

/** TLS reads so much in a step, and the thread serves others in between. That is up to 190 records of one byte. */
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
  /** Runs a step in its turn: in the next one of the event loop if left out. */
  readonly runInTurn?: RunInTurn | undefined
}

export type RunInTurn = (step: () => void) => void

/**
 * TLS reads the bytes of a socket below JavaScript, where nobody counts them. So it runs over the stream that this
 * returns. At most `handshakeBytesMax` come until the connection that `protects` is told has proved the name of the
 * other side, and `securedBytesMax` afterwards. HTTP does not see all of them: records may have one byte each, and new
 * keys may come without end.
 */
export function limitBelowTls(raw: Duplex, { securedBytesMax, bodyBytes, runInTurn = setImmediate }: Limits) {
  // A record adds 29 bytes to 16 KB, which is less than a 256th.
  const writtenBytesMax = Math.ceil((bodyBytes * 257) / 256) + ownBytesMax
  let bytes = 0
  let written = 0
  let isProved = false
  const stream = inSteps(raw, {
    runInTurn,
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
    runInTurn: setImmediate,
    read(count) {
      bytes += count
      return bytes > bytesMax ? new AnswerTooLong(`it says more than ${bytesMax} bytes`) : undefined
    },
    written: () => undefined,
  })
}

type Stepping = {
  readonly runInTurn: RunInTurn
  /** Counts bytes from the other side. Returns why the connection ends, if they are too many. */
  readonly read: (count: number) => Error | undefined
  readonly written: (count: number) => Error | undefined
}

/** Returns the bytes of a connection, which are read in steps. Between two of them a thread can be ended too. */
function inSteps(raw: Duplex, { runInTurn, read, written }: Stepping): Duplex {
  let isHungry = false
  const stream = new Duplex({
    readableHighWaterMark: stepBytes,
    read: ask,
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
    if (isHungry) ask()
  })
  raw.on('end', () => stream.push(null))
  raw.on('error', (error) => stream.destroy(error))

  /** No turn is taken for nothing. The end comes behind what TLS makes of the last bytes. */
  function ask(): void {
    isHungry = raw.readableLength === 0
    if (isHungry) setImmediate(() => void raw.read(0))
    else runInTurn(take)
  }

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
