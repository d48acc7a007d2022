import { expect, test } from 'vitest'
import { startOrganization } from '../../../test/support/organization.ts'
import { encryptersTo, newOauth2Credential } from '../../../test/support/provider_secrets.ts'

const { server, done, found } = await startOrganization()
const { encryptOauth2 } = encryptersTo(await server.vault.publishedKeys())

test('an organization without credentials has an empty list', async () => {
  expect(await found('list_oauth2_credentials')).toStrictEqual({ oauth2Credentials: [] })
})

for (const dialect of ['spec', 'hosted'] as const) {
  test(`credentials in ${dialect} are listed in order of creation, each as \`get_oauth2_credential\` shows it`, async () => {
    const before = (await found('list_oauth2_credentials', {}, { dialect })).oauth2Credentials
    const added: unknown[] = []
    for (const provider of ['OAUTH2_PROVIDER_DISCORD', 'OAUTH2_PROVIDER_PROVIDER_A']) {
      const given = newOauth2Credential(await encryptOauth2('secret'), { provider })
      const { oauth2CredentialId } = await done('create_oauth2_credential', given)
      added.push((await found('get_oauth2_credential', { oauth2CredentialId }, { dialect })).oauth2Credential)
    }
    const oauth2Credentials = [...before, ...added]
    expect(await found('list_oauth2_credentials', {}, { dialect })).toStrictEqual({ oauth2Credentials })
  })
}

test('credentials of another organization are not listed', async () => {
  const other = await server.createOrganization()
  const there = { organizationId: other.organizationId, apiKey: other.apiKey }
  expect(await found('list_oauth2_credentials', {}, there)).toStrictEqual({ oauth2Credentials: [] })
})
