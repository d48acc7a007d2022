import { Duplex } from 'node:stream'
import { AnswerTooLong } from './answer_limit.ts'

/**
 * So much may come before the other side has proved its name. Its certificates are in it, and OpenSSL verifies the
 * signatures of all before anybody asks who vouches for them: of 100 KB that takes a tenth of a second and more.
 */
export const handshakeBytesMax = 32_768

class HandshakeTooLong extends Error {
  override readonly name = 'HandshakeTooLong'
  readonly code = 'HANDSHAKE_TOO_LONG'
}

/**
 * Returns the bytes of a connection for TLS to run over, which reads those of a socket itself, where nobody can count
 * them. At most `handshakeBytesMax` come, and `securedBytesMax` after `proved` was called. HTTP does not see all of
 * them: records may have one byte each, and new keys may come without end.
 */
export function limitBelowTls(raw: Duplex, { securedBytesMax }: { readonly securedBytesMax: number }) {
  let bytes = 0
  let isProved = false
  const stream = new Duplex({
    read: () => void raw.resume(),
    write: (chunk, _encoding, done) => void raw.write(chunk, done),
    final: (done) => void raw.end(done),
    destroy(error, done) {
      raw.destroy()
      done(error)
    },
  })
  raw.on('data', (chunk: Uint8Array) => {
    bytes += chunk.length
    if (bytes > (isProved ? securedBytesMax : handshakeBytesMax)) stream.destroy(tooLong())
    else if (!stream.push(chunk)) raw.pause()
  })
  raw.on('end', () => stream.push(null))
  raw.on('error', (error) => stream.destroy(error))

  function tooLong(): Error {
    return isProved
      ? new AnswerTooLong(`its answer is longer than ${securedBytesMax} bytes of TLS`)
      : new HandshakeTooLong(`its handshake is longer than ${handshakeBytesMax} bytes`)
  }

  function proved(): void {
    bytes = 0
    isProved = true
  }
  return { stream, proved }
}
