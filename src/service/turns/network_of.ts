import { networkAround } from '../../protocol/wire/ip_ranges.ts'

/** What one customer has: an address, or a whole /64 of IPv6. All whose address is not known share what one has. */
export function networkOf(sourceAddress: string | undefined): string {
  return networkAround(sourceAddress, 64)
}
