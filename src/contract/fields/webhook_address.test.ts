import Type from 'typebox'
import { expect, test } from 'vitest'
import { optional } from './fields.ts'
import { canHoldAddress, webhookAddress, withoutAddresses } from './webhook_address.ts'

const url = 'https://a.example/secret'
const Address = Type.String(webhookAddress())

test('addresses are emptied at any depth, in lists and where they are optional, and nothing else is', () => {
  const schema = Type.Object({
    name: Type.String(),
    url: optional(Address),
    urls: Type.Array(Address),
    endpoints: Type.Array(Type.Object({ url: Address, name: Type.String() })),
  })
  expect(canHoldAddress(schema)).toBe(true)
  const shown = { name: url, url: '', urls: ['', ''], endpoints: [{ url: '', name: url }], other: url }
  const endpoints = [{ url, name: url }]
  expect(withoutAddresses(schema, { name: url, url, urls: [url, url], endpoints, other: url })).toEqual(shown)
  expect(withoutAddresses(schema, { name: url })).toEqual({ name: url })
})

test('the members beside a text say whether it is an address', () => {
  const value = Type.String(webhookAddress(({ name }) => name === 'webhook'))
  const schema = Type.Array(Type.Object({ name: Type.String(), value }))
  const given = ['webhook', 'other'].map((name) => ({ name, value: url }))
  expect(withoutAddresses(schema, given)).toEqual([
    { name: 'webhook', value: '' },
    { name: 'other', value: url },
  ])
})

test('a value whose schema has no address is left as it is', () => {
  const schema = Type.Object({ url: Type.String() })
  const given = { url }
  expect([canHoldAddress(schema), withoutAddresses(schema, given)]).toEqual([false, given])
})
