import type { Channel } from './channel.ts'

/**
 * Two channels as one. Large calls and replies have a lane of their own: a megabyte takes several turns of the event loop
 * to cross a socket, and small ones would wait behind it.
 */
export function createLanes(lanes: { readonly small: Channel; readonly large: Channel }): Channel {
  const { small, large } = lanes
  const closed = Promise.race([small.closed, large.closed])

  function close(): void {
    small.close()
    large.close()
  }

  void closed.then(close)
  return {
    closed,
    close,
    heard: () => small.heard() + large.heard(),
    call(verb, argument, limits) {
      const isOfLarge = limits.hasLargeReply === true || isLarge(limits.bytes ?? bytesIn(argument))
      return (isOfLarge ? large : small).call(verb, argument, limits)
    },
  }
}

const smallBytesMax = 65_536

/** Whether a call with so many bytes takes the lane for large ones. */
export function isLarge(bytes: number): boolean {
  return bytes > smallBytesMax
}

/** The bytes anywhere in a message. Its texts are short: bodies and rows are bytes. */
export function bytesIn(value: unknown): number {
  if (value instanceof Uint8Array) return value.length
  if (typeof value !== 'object' || value === null) return 0
  let bytes = 0
  for (const member of Object.values(value)) bytes += bytesIn(member)
  return bytes
}
