import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isPublicAddress } from './public_address.ts'

test.each([
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '168.63.129.15',
  '168.63.129.17',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '192.169.0.0',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2a00:1450:4001:80b::200e',
  '::ffff:8.8.8.8',
  '64:ff9b::8.8.8.8', // a network of IPv6 alone reaches IPv4 so
])('%s is public', (address) => {
  expect(isPublicAddress(address)).toBe(true)
})

test.each([
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '127.0.0.1',
  '127.255.255.255',
  '169.254.169.254', // where clouds keep the credentials of a machine
  '100.100.100.200', // the same on Alibaba Cloud
  '168.63.129.16', // the host of a machine on Azure
  '::ffff:168.63.129.16',
  '64:ff9b::168.63.129.16',
  'fd00:ec2::254', // where a machine on AWS asks by IPv6
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.168.0.1',
  '198.19.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::7f00:1',
  '::ffff:127.0.0.1',
  '::ffff:10.0.0.1',
  '::ffff:a9fe:a9fe',
  '::ffff:0:7f00:1',
  '64:ff9b::127.0.0.1',
  '64:ff9b::a00:1',
  '64:ff9b::169.254.169.254',
  '64:ff9b:1::1',
  '2001:db8::1',
  '2001:0:1::',
  '2002:7f00:1::',
  '3fff::1',
  '5f00::1',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'fec0::1',
  'ff02::1',
])('%s is not', (address) => {
  expect(isPublicAddress(address)).toBe(false)
})

test('a text that is no address is not public, and a mapped address counts as the address that it maps to', () => {
  for (const text of ['', 'localhost', '127.1', '0x7f000001', '2130706433', '127.0.0.1:80', '[::1]', '1.1.1.1%lo']) {
    expect(isPublicAddress(text)).toBe(false)
  }
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      expect(isPublicAddress(`::ffff:${address}`)).toBe(isPublicAddress(address))
    }),
  )
})
