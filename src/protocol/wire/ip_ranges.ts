/** An address as a number. An IPv6 address that only wraps an IPv4 address (RFC 4291, 2.5.5.2) is that IPv4 address. */
export type IpAddress = { readonly family: 4 | 6; readonly value: bigint }

/** The addresses that share the first `prefixBits` bits with `first`, whose other bits are zero (RFC 4632, 3.1). */
export type IpRange = { readonly family: 4 | 6; readonly first: bigint; readonly prefixBits: number }

const addressBits = { 4: 32, 6: 128 } as const

/** `::ffff:0:0/96`, the IPv6 addresses that wrap IPv4 addresses. */
const mappedPrefix = 0xffffn
const mappedPrefixBits = 96

/** A part of dotted decimal, without leading zeros, which some programs read as octal. */
const ipv4Part = '(0|[1-9][0-9]{0,2})'
const ipv4Pattern = new RegExp(`^${ipv4Part}\\.${ipv4Part}\\.${ipv4Part}\\.${ipv4Part}$`)
const rangePattern = /^([^/]+)\/(0|[1-9][0-9]{0,2})$/

/** Reads dotted decimal, or the text forms of RFC 4291, 2.2, without a zone. Undefined for anything else. */
export function parseIpAddress(text: string): IpAddress | undefined {
  const ipv4 = ipv4Value(text)
  if (ipv4 !== undefined) return { family: 4, value: ipv4 }
  const ipv6 = ipv6Value(text)
  if (ipv6 === undefined) return undefined
  return ipv6 >> 32n === mappedPrefix ? { family: 4, value: ipv6 & 0xffffffffn } : { family: 6, value: ipv6 }
}

/** A name for an IPv4 address, or for the first bits of an IPv6 address. All addresses that are not known have one name. */
export function networkAround(text: string | undefined, ipv6PrefixBits: number): string {
  const address = text === undefined ? undefined : parseIpAddress(text)
  if (address === undefined) return 'unknown'
  const { family, value } = address
  return `${family} ${family === 4 ? value : value >> BigInt(addressBits[6] - ipv6PrefixBits)}`
}

/**
 * Reads a range in CIDR notation: `203.0.113.0/24`, `2001:db8::/48`. Bits beyond the prefix are dropped. A range of
 * wrapped IPv4 addresses becomes the IPv4 range; a wider range holds IPv6 addresses only. Undefined for anything else.
 */
export function parseIpRange(text: string): IpRange | undefined {
  const [, addressText = '', prefixText] = rangePattern.exec(text) ?? []
  const ipv4 = ipv4Value(addressText)
  if (ipv4 !== undefined) return rangeOf(4, ipv4, Number(prefixText))
  const ipv6 = ipv6Value(addressText)
  if (ipv6 === undefined) return undefined
  const prefixBits = Number(prefixText)
  return ipv6 >> 32n === mappedPrefix && prefixBits >= mappedPrefixBits
    ? rangeOf(4, ipv6 & 0xffffffffn, prefixBits - mappedPrefixBits)
    : rangeOf(6, ipv6, prefixBits)
}

function rangeOf(family: 4 | 6, value: bigint, prefixBits: number): IpRange | undefined {
  if (prefixBits > addressBits[family]) return undefined
  const hostBits = BigInt(addressBits[family] - prefixBits)
  return { family, first: (value >> hostBits) << hostBits, prefixBits }
}

export function isInRange({ family, value }: IpAddress, range: IpRange): boolean {
  const hostBits = BigInt(addressBits[range.family] - range.prefixBits)
  return family === range.family && value >> hostBits === range.first >> hostBits
}

/** Whether a range has every address of another one. */
export function holdsRange(range: IpRange, { family, first, prefixBits }: IpRange): boolean {
  return prefixBits >= range.prefixBits && isInRange({ family, value: first }, range)
}

/** Writes a range in its one form, for IPv6 that of RFC 5952. */
export function formatIpRange({ family, first, prefixBits }: IpRange): string {
  return `${family === 4 ? formatIpv4(first) : formatIpv6(first)}/${prefixBits}`
}

function ipv4Value(text: string): bigint | undefined {
  const parts = ipv4Pattern.exec(text)?.slice(1).map(Number)
  if (parts === undefined || parts.some((part) => part > 255)) return undefined
  return parts.reduce((value, part) => (value << 8n) | BigInt(part), 0n)
}

function ipv6Value(text: string): bigint | undefined {
  // The parser of addresses of the web reads the same forms, and writes one of them.
  const url = /^[0-9a-f:.]+$/i.test(text) ? URL.parse(`http://[${text}]`) : null
  if (url === null) return undefined
  const [before = [], after = []] = url.hostname
    .slice(1, -1)
    .split('::')
    .map((groups) => groups.split(':').filter((group) => group !== ''))
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0')
  return [...before, ...zeros, ...after].reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n)
}

function formatIpv4(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join('.')
}

/** RFC 5952, 4, which is how addresses of the web are written too. */
function formatIpv6(value: bigint): string {
  const groups = Array.from({ length: 8 }, (_, index) => ((value >> BigInt(112 - 16 * index)) & 0xffffn).toString(16))
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1)
}
