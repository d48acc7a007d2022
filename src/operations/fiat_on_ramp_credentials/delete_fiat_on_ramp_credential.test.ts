import { expect, test } from 'vitest'
import { withDatabase } from '../../../test/support/database.ts'
import { absentId, expectRefused, startOrganization } from '../../../test/support/organization.ts'
import { encryptersTo, newOnRampCredential } from '../../../test/support/provider_secrets.ts'

const { server, submit, done, found, anotherUser } = await startOrganization()
const { encryptOnRamp } = encryptersTo(await server.vault.publishedKeys())

const created = async (ask = {}): Promise<string> =>
  (await done('create_fiat_on_ramp_credential', newOnRampCredential(encryptOnRamp('secret')), ask))
    .fiatOnRampCredentialId
const remove = (fiatOnrampCredentialId: string, ask = {}) =>
  submit('delete_fiat_on_ramp_credential', { fiatOnrampCredentialId }, ask)
const listed = async () =>
  (await found('list_fiat_on_ramp_credentials')).fiatOnRampCredentials.map(
    (one: { fiatOnrampCredentialId: string }) => one.fiatOnrampCredentialId,
  )

test('a credential is removed with its sealed secret, and no other credential', async () => {
  const [kept, removed] = [await created(), await created()]
  expect(await done('delete_fiat_on_ramp_credential', { fiatOnrampCredentialId: removed })).toStrictEqual({
    fiatOnRampCredentialId: removed,
  })
  expect(await listed()).toEqual([kept])
  const where = { record_id: removed }
  expect(withDatabase(server.folder, (hand) => hand.read({ table: 'records', where }))).toEqual([])
})

test('a removed, an unknown and a foreign credential are 404 alike', async () => {
  const gone = await created()
  await remove(gone)
  const other = await server.createOrganization()
  const foreign = await created({ organizationId: other.organizationId, apiKey: other.apiKey })
  for (const id of [gone, absentId, foreign]) {
    expectRefused(await remove(id), 404, `not found: there is no fiat on ramp credential ${id} in this organization`)
  }
})

test('a user outside of the root quorum may not remove a credential', async () => {
  const { apiKey } = await anotherUser()
  const id = await created()
  expectRefused(await remove(id, { apiKey }), 403)
  expect(await listed()).toContain(id)
})
