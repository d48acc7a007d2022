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
const groupPattern = /^[0-9a-f]{1,4}$/i
const rangePattern = /^([^/]+)\/(0|[1-9][0-9]{0,2})$/

/** Reads dotted decimal, or the text forms of RFC 4291, 2.2, without a zone. Undefined for anything else. */
export function parseIpAddress(text: string): IpAddress | undefined {
  const ipv4 = ipv4Value(text)
  if (ipv4 !== undefined) return { family: 4, value: ipv4 }
  const ipv6 = ipv6Value(text)
  if (ipv6 === undefined) return undefined
  return ipv6 >> 32n === mappedPrefix ? { family: 4, value: ipv6 & 0xffffffffn } : { family: 6, value: ipv6 }
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
  const [head = '', tail, ...others] = text.split('::')
  if (others.length > 0) return undefined
  const before = groupsOf(head, { isLast: tail === undefined })
  const after = tail === undefined ? [] : groupsOf(tail, { isLast: true })
  if (before === undefined || after === undefined) return undefined
  const zeros = 8 - before.length - after.length
  // `::` stands for one or more groups of zeros.
  if (tail === undefined ? zeros !== 0 : zeros < 1) return undefined
  const groups = [...before, ...Array.from({ length: zeros }, () => 0n), ...after]
  return groups.reduce((value, group) => (value << 16n) | group, 0n)
}

/** The groups on one side of `::`. The last part of an address may be an IPv4 address, which makes two groups. */
function groupsOf(text: string, { isLast }: { readonly isLast: boolean }): readonly bigint[] | undefined {
  if (text === '') return []
  const parts = text.split(':')
  const ipv4 = isLast ? ipv4Value(parts.at(-1) ?? '') : undefined
  const groups = ipv4 === undefined ? parts : parts.slice(0, -1)
  if (!groups.every((group) => groupPattern.test(group))) return undefined
  return [...groups.map((group) => BigInt(`0x${group}`)), ...(ipv4 === undefined ? [] : [ipv4 >> 16n, ipv4 & 0xffffn])]
}

function formatIpv4(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join('.')
}

/** RFC 5952, 4: lower case, no leading zeros, `::` for the first of the longest runs of two zero groups or more. */
function formatIpv6(value: bigint): string {
  const groups = Array.from({ length: 8 }, (_, index) => ((value >> BigInt(112 - 16 * index)) & 0xffffn).toString(16))
  const { start, length } = longestZeros(groups)
  if (length < 2) return groups.join(':')
  return `${groups.slice(0, start).join(':')}::${groups.slice(start + length).join(':')}`
}

function longestZeros(groups: readonly string[]): { readonly start: number; readonly length: number } {
  let longest = { start: 0, length: 0 }
  let start = 0
  groups.forEach((group, index) => {
    if (group !== '0') start = index + 1
    else if (index + 1 - start > longest.length) longest = { start, length: index + 1 - start }
  })
  return longest
}
