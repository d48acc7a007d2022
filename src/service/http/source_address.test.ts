import fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { type IpRange, parseIpRange } from '../../protocol/wire/ip_ranges.ts'
import { hopsMax, sourceAddressOf } from './source_address.ts'

const rangesOf = (cidrs: readonly string[]): readonly IpRange[] => cidrs.flatMap((cidr) => parseIpRange(cidr) ?? [])
const trusted = rangesOf(['10.0.0.0/8', '2001:db8:1::/48'])
const [proxy, otherProxy, client, stranger] = ['10.0.0.1', '10.0.0.2', '203.0.113.7', '198.51.100.1']

function sourceOf(remoteAddress: string | undefined, forwarded: readonly string[], proxies = trusted) {
  const rawHeaders = ['Host', 'x', ...forwarded.flatMap((value) => ['X-Forwarded-For', value]), 'Accept', proxy]
  return sourceAddressOf({ socket: { remoteAddress }, rawHeaders }, proxies)
}

describe('a request comes from', () => {
  test.each<[string, string | undefined, readonly string[], string | undefined]>([
    ['the other end of its connection', client, [], client],
    ['there, whatever it says of itself', client, [stranger], client],
    ['where a trusted proxy got it', proxy, [client], client],
    ['where the first of two trusted proxies got it', proxy, [`${client}, ${otherProxy}`], client],
    ['the same, when each wrote a header of its own', proxy, [client, otherProxy], client],
    ['the rightmost that is not trusted', proxy, [`${stranger}, ${client}`], client],
    ['behind a proxy that is not trusted: that proxy', proxy, [`${stranger}, ${client}, ${otherProxy}`], client],
    ['a trusted proxy itself, that says nothing', proxy, [], proxy],
    ['a trusted network, farthest away', proxy, [`10.1.1.1,${otherProxy}`], '10.1.1.1'],
    ['a trusted proxy of IPv6', '2001:db8:1::1', ['2001:db8::5'], '2001:db8::5'],
    ['a trusted proxy that IPv6 wraps', `::ffff:${proxy}`, [client], client],
    ['an address with a port', proxy, [`${client}:4711`], client],
    ['an address of IPv6 with a port', proxy, ['[2001:db8::5]:4711'], '2001:db8::5'],
    ['an address of IPv6 in brackets', proxy, ['[2001:db8::5]'], '2001:db8::5'],
    ['nowhere that is known, when the proxy writes none', proxy, ['unknown'], undefined],
    ['nowhere that is known, when the header is empty', proxy, [''], undefined],
    ['nowhere that is known, when it ends in a comma', proxy, [`${client},`], undefined],
    ['where it is known to come from, whatever stands before that', proxy, [`unknown, ${client}`], client],
    ['nowhere, when the connection is gone', undefined, [client], undefined],
    ['an interface of this machine', 'fe80::1%eth0', [], 'fe80::1'],
  ])('%s', (_name, remoteAddress, forwarded, expected) => {
    expect(sourceOf(remoteAddress, forwarded)).toBe(expected)
  })
})

test('without trusted proxies no header is believed', () => {
  expect(sourceOf(client, [stranger], [])).toBe(client)
})

test('however many addresses a client writes, a few are looked at', () => {
  const many = (count: number) => [`${client},${Array.from({ length: count }, () => otherProxy).join(',')}`]
  expect(sourceOf(proxy, many(hopsMax - 2))).toBe(client)
  const execute = vi.spyOn(RegExp.prototype, 'exec')
  onTestFinished(() => execute.mockRestore())
  expect(sourceOf(proxy, many(3_000))).toBe(undefined)
  expect(execute.mock.calls.length).toBeLessThan(5 * hopsMax)
})

test('whatever a client writes in front, the address that the trusted proxy saw counts', () => {
  fc.assert(
    fc.property(fc.string(), (written) => {
      expect(sourceOf(proxy, [`${written}, ${client}`])).toBe(client)
      expect(sourceOf(proxy, [written, client])).toBe(client)
    }),
  )
})
