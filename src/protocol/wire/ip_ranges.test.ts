import { BlockList, isIPv4, isIPv6 } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatIpRange, type IpRange, isInRange, parseIpAddress, parseIpRange } from './ip_ranges.ts'

const ipv6Characters = fc.constantFrom(...'0123456789abcdefABCDEF:.::'.split(''))
/** Addresses of both families, some that nearly are one, and IPv4 in the clothes of IPv6. */
const addressText = fc.oneof(
  fc.ipV4(),
  fc.ipV6(),
  fc.ipV4().map((text) => `::ffff:${text}`),
  fc.ipV4().map((text) => `2001:db8::${text}`),
  fc.ipV4Extended(),
  fc.string({ unit: ipv6Characters, maxLength: 40 }),
  fc.string({ unit: fc.constantFrom(...'0123456789.'.split('')), maxLength: 15 }),
  fc.string(),
)
const ipv6 = fc.oneof(fc.ipV6(), fc.constantFrom('::', '::1', '1::', '0:0:1::', '1:0:0:2:0:0:0:3', '::ffff:0:0:0'))
const ipv6Value = fc.bigInt({ min: 0n, max: 2n ** 128n - 1n })

function rangeOf(text: string): IpRange {
  const range = parseIpRange(text)
  if (range === undefined) throw new Error(`${text} is no range`)
  return range
}

test('an address is accepted when Node accepts it, except with a zone', () => {
  fc.assert(
    fc.property(addressText, (text) => {
      const isAddress = isIPv4(text) || (isIPv6(text) && !text.includes('%'))
      expect(parseIpAddress(text) !== undefined, text).toBe(isAddress)
    }),
    { numRuns: 2_000 },
  )
})

describe('an address is refused', () => {
  test.each([
    '',
    '1.2.3',
    '1.2.3.4.5',
    '256.1.1.1',
    '01.2.3.4',
    '1.2.3.4 ',
    '0x7f.0.0.1',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1::2::3',
    '1:2:3:4::5:6:7:8',
    ':::',
    '::1.2.3',
    '1.2.3.4::',
    '12345::',
    'fe80::1%eth0',
    '[::1]',
    'localhost',
  ])('%j', (text) => {
    expect(parseIpAddress(text)).toBeUndefined()
  })
})

describe('a range is refused', () => {
  test.each([
    '10.0.0.0',
    '10.0.0.0/',
    '10.0.0.0/33',
    '10.0.0.0/08',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0.0/255.0.0.0',
    '::/129',
    '/8',
    '10.0.0.0/1e1',
    '::ffff:1.2.3.4/129',
  ])('%j', (text) => {
    expect(parseIpRange(text)).toBeUndefined()
  })
})

describe('a range is written in one way', () => {
  test.each([
    ['10.1.2.3/8', '10.0.0.0/8'],
    ['10.1.2.3/32', '10.1.2.3/32'],
    ['255.255.255.255/0', '0.0.0.0/0'],
    ['2001:DB8:0:0:1:0:0:1/128', '2001:db8::1:0:0:1/128'],
    ['2001:db8:0:1:1:1:1:1/128', '2001:db8:0:1:1:1:1:1/128'],
    ['2001:db8::ff/48', '2001:db8::/48'],
    ['::/0', '::/0'],
    ['::1/128', '::1/128'],
    ['::ffff:10.1.2.3/104', '10.0.0.0/8'],
    ['::ffff:a01:203/128', '10.1.2.3/32'],
    ['::ffff:10.1.2.3/95', '::fffe:0:0/95'],
    ['::ffff:10.1.2.3/0', '::/0'],
  ])('%s is %s', (text, written) => {
    expect(formatIpRange(rangeOf(text))).toBe(written)
  })

  test('as browsers write an IPv6 address, whatever it is', () => {
    fc.assert(
      fc.property(fc.oneof(ipv6Value, fc.integer({ min: 0, max: 255 }).map(zeroGroups)), (value) => {
        const range: IpRange = { family: 6, first: value, prefixBits: 128 }
        const text = formatIpRange(range).slice(0, -'/128'.length)
        expect(`[${text}]`).toBe(new URL(`http://[${text}]/`).hostname)
        if (value >> 32n !== 0xffffn) expect(parseIpRange(`${text}/128`)).toEqual(range)
      }),
    )
  })

  test('and what is written is read as the same range', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), ipv6), fc.integer({ min: 0, max: 128 }), (address, prefixBits) => {
        const range = parseIpRange(`${address}/${prefixBits}`)
        expect(range === undefined).toBe(isIPv4(address) && prefixBits > 32)
        if (range !== undefined) expect(parseIpRange(formatIpRange(range))).toEqual(range)
      }),
    )
  })
})

/** Groups that are 0 where the bit is set, and 1 elsewhere. */
function zeroGroups(bits: number): bigint {
  const groups = Array.from({ length: 8 }, (_, index) => ((bits >> index) & 1 ? '0' : '1'))
  return groups.reduce((value, group) => (value << 16n) | BigInt(group), 0n)
}

describe('an address is in a range when Node’s BlockList says so', () => {
  const isListed = (address: string, network: string, prefixBits: number) => {
    const list = new BlockList()
    list.addSubnet(network, prefixBits, isIPv4(network) ? 'ipv4' : 'ipv6')
    return list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
  }
  const isIn = (address: string, range: string) => {
    const parsed = parseIpAddress(address)
    return parsed !== undefined && isInRange(parsed, rangeOf(range))
  }

  test('for IPv4', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.ipV4(), fc.integer({ min: 1, max: 32 }), (address, other, prefixBits) => {
        // One address rarely is in the range of another: half of the time the range is made of the address itself.
        for (const network of [address, other]) {
          expect(isIn(address, `${network}/${prefixBits}`)).toBe(isListed(address, network, prefixBits))
        }
      }),
    )
  })

  test('for IPv6', () => {
    fc.assert(
      fc.property(ipv6, ipv6, fc.integer({ min: 1, max: 128 }), (address, other, prefixBits) => {
        fc.pre(parseIpAddress(address)?.family === 6 && rangeOf(`${other}/${prefixBits}`).family === 6)
        for (const network of [address, other]) {
          expect(isIn(address, `${network}/${prefixBits}`)).toBe(isListed(address, network, prefixBits))
        }
      }),
    )
  })

  test('for an IPv4 address that IPv6 wraps', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.ipV4(), fc.integer({ min: 1, max: 32 }), (address, other, prefixBits) => {
        for (const network of [address, other]) {
          const expected = isListed(`::ffff:${address}`, network, prefixBits)
          expect(isIn(`::ffff:${address}`, `${network}/${prefixBits}`)).toBe(expected)
          expect(isIn(address, `::ffff:${network}/${prefixBits + 96}`)).toBe(expected)
        }
      }),
    )
  })
})

test('a range of all IPv4 addresses holds no IPv6 address, and the reverse', () => {
  const [ipv4, six] = [parseIpAddress('1.2.3.4'), parseIpAddress('2001:db8::1')]
  if (ipv4 === undefined || six === undefined) throw new Error('both are addresses')
  expect([ipv4, six].map((address) => isInRange(address, rangeOf('0.0.0.0/0')))).toEqual([true, false])
  expect([ipv4, six].map((address) => isInRange(address, rangeOf('::/0')))).toEqual([false, true])
})
