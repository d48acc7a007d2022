import { expect, test } from 'vitest'
import { expectRefused, startOrganization } from '../../../test/support/organization.ts'
import { generateApiKey } from '../../../test/support/stamping.ts'

const { server, organizationId, rootKey, query, found } = await startOrganization()
const { publicKey } = rootKey

test('without a list there are no rules', async () => {
  expect(await found('get_ip_allowlist')).toStrictEqual({ allowlist: { organizationId, rules: [] } })
  expect(await found('get_ip_allowlist', { publicKey: null })).toStrictEqual({
    allowlist: { organizationId, rules: [] },
  })
  expect(await found('get_ip_allowlist', { publicKey: publicKey.toUpperCase() })).toStrictEqual({
    allowlist: { organizationId, rules: [], publicKey },
  })
})

test('an unknown or foreign key is 404, a malformed key is 400', async () => {
  const other = await server.createOrganization()
  for (const absent of [other.apiKey.publicKey, generateApiKey().publicKey, 'ab'.repeat(32)]) {
    const text = `there is no api key ${absent} in this organization`
    expectRefused(await query('get_ip_allowlist', { publicKey: absent }), 404, text)
  }
  for (const malformed of ['', 'key', publicKey.slice(1), `0x${publicKey}`]) {
    expectRefused(await query('get_ip_allowlist', { publicKey: malformed }), 400, 'publicKey must be the public key of')
  }
})
