import { networkAround } from '../../protocol/wire/ip_ranges.ts'

/** The network of one customer: an address, or a whole /64 of IPv6. All unknown addresses share one. */
export function networkOf(sourceAddress: string | undefined): string {
  return networkAround(sourceAddress, 64)
}
