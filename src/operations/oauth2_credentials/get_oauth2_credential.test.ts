import { expect, test } from 'vitest'
import { absentId, expectRefused, startOrganization, timestamp } from '../../../test/support/organization.ts'
import { encryptersTo, newOauth2Credential } from '../../../test/support/provider_secrets.ts'

const { server, organizationId, query, done, found } = await startOrganization()
const { encryptOauth2 } = encryptersTo(await server.vault.publishedKeys())
const given = newOauth2Credential(await encryptOauth2('secret'), { provider: 'OAUTH2_PROVIDER_PROVIDER_A' })

test('a credential is shown with every field; clients of `hosted` see the provider name that they know', async () => {
  const { oauth2CredentialId } = await done('create_oauth2_credential', given)
  const times = { createdAt: timestamp, updatedAt: timestamp }
  const spec = { oauth2CredentialId, organizationId, ...given, ...times }
  expect(await found('get_oauth2_credential', { oauth2CredentialId })).toStrictEqual({ oauth2Credential: spec })
  const upperCase = { oauth2CredentialId: oauth2CredentialId.toUpperCase() }
  expect(await found('get_oauth2_credential', upperCase)).toStrictEqual({ oauth2Credential: spec })
  const hosted = await found('get_oauth2_credential', { oauth2CredentialId }, { dialect: 'hosted' })
  expect(hosted).toStrictEqual({ oauth2Credential: { ...spec, provider: 'OAUTH2_PROVIDER_X' } })
})

test('an unknown, a foreign and a malformed id are 404, an empty id is 400', async () => {
  const other = await server.createOrganization()
  const there = { organizationId: other.organizationId, apiKey: other.apiKey }
  const foreign = (await done('create_oauth2_credential', given, there)).oauth2CredentialId
  for (const oauth2CredentialId of [absentId, foreign, 'credential']) {
    const text = `not found: there is no oauth2 credential ${oauth2CredentialId} in this organization`
    expectRefused(await query('get_oauth2_credential', { oauth2CredentialId }), 404, text)
  }
  const empty = await query('get_oauth2_credential', { oauth2CredentialId: '' })
  expectRefused(empty, 400, 'oauth2CredentialId must be the id of an OAuth 2.0 credential')
})
