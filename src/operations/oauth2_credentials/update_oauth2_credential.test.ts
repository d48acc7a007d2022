import { describe, expect, test } from 'vitest'
import { openDatabaseDigest } from '../../../test/support/database_digest.ts'
import { writeNextListedRecord } from '../../../test/support/later_version.ts'
import { absentId, expectRefused, startOrganization } from '../../../test/support/organization.ts'
import { clientSecretOf, encryptersTo, newOauth2Credential } from '../../../test/support/provider_secrets.ts'

const { server, clock, organizationId, rootUserId, submit, done, found, anotherUser } = await startOrganization()
const { encryptOauth2 } = encryptersTo(await server.vault.publishedKeys())
const digest = openDatabaseDigest(server)

const [oldSecret, newSecret] = [await encryptOauth2('old secret'), await encryptOauth2('new secret')]
const created = async (ask = {}): Promise<string> =>
  (await done('create_oauth2_credential', newOauth2Credential(oldSecret), ask)).oauth2CredentialId
const changed = { provider: 'OAUTH2_PROVIDER_DISCORD', clientId: 'new client', encryptedClientSecret: newSecret }

test('the provider, client id and secret are replaced', async () => {
  const oauth2CredentialId = await created()
  const before = (await found('get_oauth2_credential', { oauth2CredentialId })).oauth2Credential
  clock.nowMs += 5_000
  const result = await done('update_oauth2_credential', { oauth2CredentialId, ...changed })
  expect(result).toStrictEqual({ oauth2CredentialId })
  const after = (await found('get_oauth2_credential', { oauth2CredentialId })).oauth2Credential
  expect(after).toStrictEqual({ ...before, ...changed, updatedAt: after.updatedAt })
  expect(Number(after.updatedAt.seconds)).toBe(Number(before.updatedAt.seconds) + 5)
  expect(await clientSecretOf(server, { organizationId, oauth2CredentialId })).toBe('new secret')
})

test('the record has the neutral name, by which an older version beside this one finds the endpoints', async () => {
  const names = async (oauth2CredentialId: string, dialect: 'spec' | 'hosted' = 'spec') =>
    (await found('get_oauth2_credential', { oauth2CredentialId }, { dialect })).oauth2Credential.provider
  for (const update of [false, true]) {
    const provider = 'OAUTH2_PROVIDER_DISCORD'
    const { oauth2CredentialId } = await done(
      'create_oauth2_credential',
      newOauth2Credential(oldSecret, update ? {} : { provider }),
    )
    if (update) await done('update_oauth2_credential', { oauth2CredentialId, ...changed })
    expect(await names(oauth2CredentialId)).toBe(provider)
    // The older version knows no other name, and keeps members that it does not know.
    const place = { organizationId, kind: 'oauth2_credential', recordId: oauth2CredentialId } as const
    await writeNextListedRecord(server, place, (record) => {
      expect(record.provider).toBe('OAUTH2_PROVIDER_PROVIDER_B')
      return { ...record, provider: 'OAUTH2_PROVIDER_PROVIDER_A' }
    })
    expect(await names(oauth2CredentialId)).toBe('OAUTH2_PROVIDER_PROVIDER_A')
    expect(await names(oauth2CredentialId, 'hosted')).toBe('OAUTH2_PROVIDER_X')
  }
})

test('an update that waits for votes replaces the secret once it is approved, and not before', async () => {
  const oauth2CredentialId = await created()
  const second = await anotherUser('second')
  const userIds = [rootUserId, second.userId]
  await done('update_root_quorum', { threshold: 2, userIds })
  const { fingerprint } = (await submit('update_oauth2_credential', { oauth2CredentialId, ...changed })).body.activity
  expect(await clientSecretOf(server, { organizationId, oauth2CredentialId })).toBe('old secret')
  const { activity } = (await submit('approve_activity', { fingerprint }, { apiKey: second.apiKey })).body
  expect(activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
  expect(await clientSecretOf(server, { organizationId, oauth2CredentialId })).toBe('new secret')
  const back = (await submit('update_root_quorum', { threshold: 1, userIds })).body.activity
  await submit('approve_activity', { fingerprint: back.fingerprint }, { apiKey: second.apiKey })
})

describe('a refused update changes nothing', () => {
  for (const [claim, change, status, text] of [
    ['the secret does not open', { encryptedClientSecret: newSecret.slice(2) }, 400, 'encryptedClientSecret'],
    ['an unknown provider', { provider: 'DISCORD' }, 400, 'parameters.provider must be one of'],
    [
      'an unknown id',
      { oauth2CredentialId: absentId },
      404,
      `there is no oauth2 credential ${absentId} in this organization`,
    ],
    ['an id that is no UUID', { oauth2CredentialId: 'x' }, 404, 'there is no oauth2 credential x in this organization'],
    ['an empty id', { oauth2CredentialId: '' }, 400, 'oauth2CredentialId must be the id of an OAuth 2.0 credential'],
  ] as const) {
    test(claim, async () => {
      const given = { oauth2CredentialId: await created(), ...changed, ...change }
      const before = digest.read()
      expectRefused(await submit('update_oauth2_credential', given), status, text)
      expect(digest.read()).toBe(before)
    })
  }

  test('a user outside of the root quorum', async () => {
    const { apiKey } = await anotherUser()
    const given = { oauth2CredentialId: await created(), ...changed }
    expectRefused(await submit('update_oauth2_credential', given, { apiKey }), 403)
  })

  test("another organization's credential, as if it did not exist", async () => {
    const other = await server.createOrganization()
    const id = await created({ organizationId: other.organizationId, apiKey: other.apiKey })
    const foreign = await submit('update_oauth2_credential', { oauth2CredentialId: id, ...changed })
    expectRefused(foreign, 404, `there is no oauth2 credential ${id} in this organization`)
  })
})
