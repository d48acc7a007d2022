import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Watch } from '../requests/watches.ts'
import { commonHeaders } from './answers.ts'

const watchType = 'application/x-ndjson'

/** Whether the client wants a query answered again at each change. Any other request is answered once. */
export function asksToWatch({ headers }: IncomingMessage): boolean {
  return headers.accept === watchType
}

/** Sends the lines of a watch as they come, until one of both sides ends it. */
export function sendWatch(response: ServerResponse, watch: Watch): void {
  // The client may have gone while the vault was asked, and then no event tells it.
  if (response.destroyed) {
    watch.stop()
    return
  }
  response.once('close', watch.stop)
  response.writeHead(200, {
    ...commonHeaders,
    'content-type': watchType,
    'cache-control': 'no-store',
    'x-accel-buffering': 'no', // tells nginx to pass each line on at once
  })
  watch.start({
    isFull: () => response.writableNeedDrain,
    write: (bytes) => void response.write(bytes),
    end() {
      // A client that has read nothing for so long may never read the rest.
      if (response.writableNeedDrain) response.destroy()
      else response.end()
    },
  })
}
