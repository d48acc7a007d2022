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
    call(verb, argument, limits) {
      const isOfLarge = limits.hasLargeReply === true || isLarge(argument)
      return (isOfLarge ? large : small).call(verb, argument, limits)
    },
  }
}

const smallBytesMax = 65_536

/** Whether the bytes anywhere in a message are many. Its texts are short: bodies and rows are bytes. */
function isLarge(message: unknown): boolean {
  return bytesIn(message) > smallBytesMax
}

function bytesIn(value: unknown): number {
  if (value instanceof Uint8Array) return value.length
  if (typeof value !== 'object' || value === null) return 0
  let bytes = 0
  for (const member of Object.values(value)) bytes += bytesIn(member)
  return bytes
}
