import type { Writable } from 'node:stream'

/** Informational answers (RFC 9110, 15.2), of which a server may send any number before its answer. */
export const informational = 'HTTP/1.1 102 Processing\r\n\r\n'

/** Writes a text again and again, as fast as the other side reads, until that one hangs up. */
export function writeWithoutEnd(stream: Writable, text: string): void {
  const many = text.repeat(Math.ceil(65_536 / text.length))
  const more = () => {
    while (!stream.destroyed && stream.write(many));
  }
  stream.on('drain', more)
  more()
}
