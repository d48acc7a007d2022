import { expect, test } from 'vitest'
import {
  createAuthProxyGate,
  proxiedOfAddressMax,
  proxiedOfCustomerMax,
  proxiedOfOrganizationMax,
} from './auth_proxy_gate.ts'

const path = '/v1/otp_init_v2'
const configId = '3b1f0d9a-5c7e-4a52-9d1e-8f6a2c4b7e10'

function gateAt(nowMs: number) {
  const clock = { nowMs }
  const gate = createAuthProxyGate(() => clock.nowMs)
  const waits: string[] = []
  const response = { setHeader: (_: string, value: unknown) => waits.push(String(value)) as never }
  const enter = (sourceAddress: string | undefined, headers = {}, at = path) =>
    gate.enter({ headers: { 'x-auth-proxy-config-id': configId, ...headers } }, response, {
      path: at,
      sourceAddress,
      requestId: 'request',
    })
  return { clock, enter, waits }
}

test('tells the vault the id, the origin, and when the request came', () => {
  const { enter } = gateAt(1_000)
  expect(enter('192.0.2.1', { origin: 'https://app.example.com' })).toEqual({
    ...{ configId, origin: 'https://app.example.com', requestId: 'request', timestampMs: 1_000 },
  })
  expect(enter('192.0.2.1')).toEqual({ configId, requestId: 'request', timestampMs: 1_000 })
})

test('leaves other paths alone, whatever their headers say', () => {
  const { enter } = gateAt(0)
  expect(enter('192.0.2.1', {}, '/public/v1/submit/init_otp')).toBeUndefined()
})

test('refuses a request that names no organization, and an origin that is too long', () => {
  const { enter } = gateAt(0)
  expect(() => enter('192.0.2.1', { 'x-auth-proxy-config-id': undefined })).toThrow('X-Auth-Proxy-Config-ID')
  expect(() => enter('192.0.2.1', { 'x-auth-proxy-config-id': 'x'.repeat(301) })).toThrow('X-Auth-Proxy-Config-ID')
  expect(() => enter('192.0.2.1', { origin: `https://${'x'.repeat(300)}` })).toThrow()
})

test.each([
  ['one address', ['192.0.2.1', '::ffff:192.0.2.1'], '192.0.2.2'],
  ['one network of IPv6', ['2001:db8::1', '2001:db8::2:3'], '2001:db8:0:1::1'],
  ['all whose address is not known', [undefined, 'no address'], '192.0.2.1'],
])('lets %s in so often, and says how long to wait', (_, [first, second], other) => {
  const { enter, waits } = gateAt(0)
  for (let request = 0; request < proxiedOfAddressMax; request += 1) enter(request % 2 === 0 ? first : second)
  expect(() => enter(first)).toThrow('too many requests')
  expect(waits).toEqual(['1'])
  enter(other)
})

test('leaves requests to others, however many networks of IPv6 one customer asks from', () => {
  const { enter } = gateAt(0)
  const addressOf = (request: number) => `2001:db8:0:${(request % 200).toString(16)}::1`
  for (let request = 0; request < proxiedOfCustomerMax; request += 1) enter(addressOf(request))
  expect(() => enter(addressOf(0))).toThrow('too many requests')
  enter('2001:db8:1::1')
})

test('lets requests to one organization in so often, from however many addresses', () => {
  const { enter, clock } = gateAt(0)
  const addressOf = (request: number) => `10.0.${request >> 8}.${request & 255}`
  for (let request = 0; request < proxiedOfOrganizationMax; request += 1) enter(addressOf(request))
  const upper = { 'x-auth-proxy-config-id': configId.toUpperCase() }
  expect(() => enter('192.0.2.1', upper)).toThrow('too many requests')
  enter('192.0.2.2', { 'x-auth-proxy-config-id': 'another' })
  clock.nowMs += 1_000
  enter('192.0.2.1', upper)
})
