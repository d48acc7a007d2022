import { expect, test } from 'vitest'
import { withDatabase } from '../../../test/support/database.ts'
import { absentId, expectRefused, startOrganization } from '../../../test/support/organization.ts'
import { encryptersTo, newOauth2Credential } from '../../../test/support/provider_secrets.ts'

const { server, submit, done, found, anotherUser } = await startOrganization()
const { encryptOauth2 } = encryptersTo(await server.vault.publishedKeys())
const secret = await encryptOauth2('secret')

const created = async (ask = {}): Promise<string> =>
  (await done('create_oauth2_credential', newOauth2Credential(secret), ask)).oauth2CredentialId
const remove = (oauth2CredentialId: string, ask = {}) => submit('delete_oauth2_credential', { oauth2CredentialId }, ask)
const listed = async () =>
  (await found('list_oauth2_credentials')).oauth2Credentials.map(
    (one: { oauth2CredentialId: string }) => one.oauth2CredentialId,
  )

test('a credential is removed with its sealed secret, and no other credential', async () => {
  const [kept, removed] = [await created(), await created()]
  expect(await done('delete_oauth2_credential', { oauth2CredentialId: removed })).toStrictEqual({
    oauth2CredentialId: removed,
  })
  expect(await listed()).toEqual([kept])
  const where = { record_id: removed }
  expect(withDatabase(server.folder, (hand) => hand.read({ table: 'records', where }))).toEqual([])
})

test('a removed, an unknown, a foreign and a malformed id are 404 alike', async () => {
  const gone = await created()
  await remove(gone)
  const other = await server.createOrganization()
  const foreign = await created({ organizationId: other.organizationId, apiKey: other.apiKey })
  for (const id of [gone, absentId, foreign, 'x', 'x'.repeat(256), '__proto__', '\u0000', "o'clock %"]) {
    expectRefused(await remove(id), 404, `not found: there is no oauth2 credential ${id} in this organization`)
  }
  for (const id of ['', 'x'.repeat(257)]) {
    expectRefused(await remove(id), 400, 'parameters.oauth2CredentialId must be the id of an OAuth 2.0 credential')
  }
})

test('a user outside of the root quorum may not remove a credential', async () => {
  const { apiKey } = await anotherUser()
  const id = await created()
  expectRefused(await remove(id, { apiKey }), 403)
  expect(await listed()).toContain(id)
})
