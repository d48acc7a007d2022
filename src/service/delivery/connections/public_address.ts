import { BlockList, isIP } from 'node:net'

/**
 * Ranges without hosts of the public internet (the registries of RFC 6890, and multicast), and the host of a machine on
 * Azure, which answers that machine alone (Microsoft, "What is IP address 168.63.129.16?"). An address that embeds an
 * IPv4 address is checked as that address (mapped, or translated by NAT64) or refused (6to4, Teredo).
 */
const notPublic: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  ['::', 96],
  ['::ffff:0:0:0', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
  ['5f00::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
]

/** A gateway connects such an address to the IPv4 address that it ends with (NAT64, RFC 6052). */
const translated = { prefix: '64:ff9b::', bits: 96 }

const blocked = new BlockList()
for (const [address, prefix] of notPublic) {
  if (address.includes(':')) blocked.addSubnet(address, prefix, 'ipv6')
  else {
    blocked.addSubnet(address, prefix, 'ipv4')
    blocked.addSubnet(`${translated.prefix}${address}`, translated.bits + prefix, 'ipv6')
  }
}

/** Whether `address` is an IP address of the public internet. False for a text that is no IP address. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address)
  return version !== 0 && !blocked.check(address, version === 6 ? 'ipv6' : 'ipv4')
}
