import type { IncomingMessage, ServerResponse } from 'node:http'
import { Failure } from '../../../protocol/wire/failures.ts'
import type { IpRange } from '../../../protocol/wire/ip_ranges.ts'
import { networkOf } from '../../turns/network_of.ts'
import { isTrusted, sourceAddressOf } from '../source_address.ts'

export const ofForwardedMaxDefault = 1_024

export type ForwardedBound = {
  /** Counts a request until its answer is out. Throws RATE_LIMITED if its address has too many. */
  enter(request: IncomingMessage, response: ServerResponse): void
}

/** Bounds the requests in flight of each address behind a trusted proxy, whose connections all its clients share. */
export function createForwardedBound(ofOneMax: number, trustedProxies: readonly IpRange[]): ForwardedBound {
  const inFlight = new Map<string, number>()
  return {
    enter(request, response) {
      if (!isTrusted(request.socket.remoteAddress ?? '', trustedProxies)) return
      const network = networkOf(sourceAddressOf(request, trustedProxies))
      const count = inFlight.get(network) ?? 0
      if (count >= ofOneMax) {
        response.setHeader('retry-after', '1')
        throw new Failure('RATE_LIMITED')
      }
      inFlight.set(network, count + 1)
      response.once('close', () => {
        const left = (inFlight.get(network) ?? 1) - 1
        if (left === 0) inFlight.delete(network)
        else inFlight.set(network, left)
      })
    },
  }
}
