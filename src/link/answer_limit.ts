import type { Duplex } from 'node:stream'

/** A server has sent more than is read of it. */
export class AnswerTooLong extends Error {
  override readonly name = 'AnswerTooLong'
  readonly code = 'ANSWER_TOO_LONG'
}

/** Servers send one or two tickets (RFC 8446, 4.6.1). They stand outside what HTTP reads. */
const ticketsMax = 16

/**
 * Ends a connection of HTTP, by an error, when it has brought more bytes than this, or session tickets of TLS without
 * end. Bodies alone would not be enough to count: before its answer, a server may send heads of informational answers
 * (RFC 9110, 15.2) or line breaks without end.
 */
export function limitAnswer(connection: Duplex, bytesMax: number): void {
  // HTTP takes its own listener away when the server changes the protocol, and the error comes behind that.
  connection.on('error', () => {})
  let bytes = 0
  // Before HTTP reads the chunk, so that this error comes before the end of the answer.
  connection.prependListener('data', (chunk: Uint8Array) => {
    bytes += chunk.length
    if (bytes > bytesMax) connection.destroy(new AnswerTooLong(`its answer is longer than ${bytesMax} bytes`))
  })
  let tickets = 0
  connection.on('session', () => {
    tickets += 1
    if (tickets > ticketsMax) connection.destroy(new AnswerTooLong(`it sends more than ${ticketsMax} session tickets`))
  })
}
