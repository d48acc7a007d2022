import { expect, test } from 'vitest'
import { expectRefused, startOrganization } from '../../../test/support/organization.ts'
import { generateApiKey } from '../../../test/support/stamping.ts'

const { organizationId, rootKey, submit, found, done, anotherUser } = await startOrganization()
const { publicKey } = rootKey
const rules = [{ cidr: '127.0.0.1/32' }]

test("the organization's list is removed once, with all its rules", async () => {
  expectRefused(await submit('remove_ip_allowlist', {}), 404, 'this organization has no IP allowlist')
  await done('set_ip_allowlist', { rules })
  expect(await done('remove_ip_allowlist', { publicKey: null })).toStrictEqual({})
  expect(await found('get_ip_allowlist')).toStrictEqual({ allowlist: { organizationId, rules: [] } })
  expectRefused(await submit('remove_ip_allowlist', {}), 404, 'this organization has no IP allowlist')
})

test('the list of a key is removed once, and no other list', async () => {
  expectRefused(await submit('remove_ip_allowlist', { publicKey }), 404, `the api key ${publicKey} has no IP allowlist`)
  await done('set_ip_allowlist', { rules })
  await done('set_ip_allowlist', { publicKey, rules })
  expect(await done('remove_ip_allowlist', { publicKey: publicKey.toUpperCase() })).toStrictEqual({})
  expect((await found('get_ip_allowlist', { publicKey })).allowlist.rules).toEqual([])
  expect((await found('get_ip_allowlist')).allowlist.rules).toHaveLength(1)
  expectRefused(await submit('remove_ip_allowlist', { publicKey }), 404, `the api key ${publicKey} has no IP allowlist`)
})

test('the list of a key outlives that of the organization', async () => {
  await done('set_ip_allowlist', { rules })
  await done('set_ip_allowlist', { publicKey, rules })
  await done('remove_ip_allowlist', {})
  expect((await found('get_ip_allowlist', { publicKey })).allowlist.rules).toHaveLength(1)
})

test('invalid removals are refused', async () => {
  const absent = generateApiKey().publicKey
  expectRefused(await submit('remove_ip_allowlist', { publicKey: absent }), 404, `there is no api key ${absent}`)
  expectRefused(await submit('remove_ip_allowlist', { publicKey: 'x' }), 400, 'parameters.publicKey must be the public')
  const { apiKey } = await anotherUser()
  expectRefused(await submit('remove_ip_allowlist', {}, { apiKey }), 403)
})
