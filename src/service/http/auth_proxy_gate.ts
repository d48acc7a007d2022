import type { IncomingMessage, ServerResponse } from 'node:http'
import { type ProxiedRequest, proxiedNameAt } from '../../protocol/wire/auth_proxy.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import { networkAround } from '../../protocol/wire/ip_ranges.ts'
import { networkOf } from '../turns/network_of.ts'
import { createRateLimiter } from './rate_limiter.ts'

const configHeader = 'x-auth-proxy-config-id'
const headerCharactersMax = 300

/** Requests a minute from one address, and to one organization. Nobody has stamped them, so anybody can send them. */
export const proxiedOfAddressMax = 60
export const proxiedOfOrganizationMax = 1_200
/** One customer may have a whole /48 of IPv6. It leaves two thirds of the requests to others. */
export const proxiedOfCustomerMax = 400

export type AuthProxyGate = ReturnType<typeof createAuthProxyGate>

type Entering = { readonly path: string; readonly sourceAddress: string | undefined; readonly requestId: string }

/** Lets requests to auth proxies in, as many as one address, one customer and one organization may have. */
export function createAuthProxyGate(nowMs: () => number = Date.now) {
  const ofAddress = createRateLimiter({ perMinuteMax: proxiedOfAddressMax, nowMs })
  const ofCustomer = createRateLimiter({ perMinuteMax: proxiedOfCustomerMax, nowMs })
  const ofOrganization = createRateLimiter({ perMinuteMax: proxiedOfOrganizationMax, nowMs })

  return {
    /** Returns what the vault is told of an unstamped request. Undefined for any other path. */
    enter(
      request: Pick<IncomingMessage, 'headers'>,
      response: Pick<ServerResponse, 'setHeader'>,
      { path, sourceAddress, requestId }: Entering,
    ): ProxiedRequest | undefined {
      if (proxiedNameAt(path) === undefined) return undefined
      const configId = request.headers[configHeader]
      if (typeof configId !== 'string' || configId.length > headerCharactersMax) {
        const expected = 'the id of the organization whose auth proxy is asked'
        throw new Failure('FIELD_INVALID', { fieldPath: 'X-Auth-Proxy-Config-ID', expected })
      }
      const waitSeconds =
        ofAddress.take(networkOf(sourceAddress)) ??
        ofCustomer.take(networkAround(sourceAddress, 48)) ??
        ofOrganization.take(configId.toLowerCase())
      if (waitSeconds !== undefined) {
        response.setHeader('retry-after', String(waitSeconds))
        throw new Failure('RATE_LIMITED')
      }
      const { origin } = request.headers
      if (origin !== undefined && origin.length > headerCharactersMax) throw new Failure('FORBIDDEN', 'no such origin')
      return { configId, ...(origin === undefined ? {} : { origin }), requestId, timestampMs: nowMs() }
    },
  }
}
