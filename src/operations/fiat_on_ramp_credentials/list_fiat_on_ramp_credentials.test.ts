import { expect, test } from 'vitest'
import { startOrganization } from '../../../test/support/organization.ts'
import { encryptersTo, newOnRampCredential } from '../../../test/support/provider_secrets.ts'

const { server, done, found, anotherUser } = await startOrganization()
const { encryptOnRamp } = encryptersTo(await server.vault.publishedKeys())

type Shown = { readonly fiatOnrampCredentialId: string; readonly onrampProvider: string }

test('an organization without credentials has an empty list', async () => {
  expect(await found('list_fiat_on_ramp_credentials')).toStrictEqual({ fiatOnRampCredentials: [] })
})

test('credentials are listed in order of creation, with the provider names that were given, or in `hosted` those that clients know', async () => {
  const ids: string[] = []
  for (const onrampProvider of ['FIAT_ON_RAMP_PROVIDER_MOONPAY', 'FIAT_ON_RAMP_PROVIDER_PROVIDER_A']) {
    const given = newOnRampCredential(encryptOnRamp('secret'), { onrampProvider })
    ids.push((await done('create_fiat_on_ramp_credential', given)).fiatOnRampCredentialId)
  }
  const spec: readonly Shown[] = (await found('list_fiat_on_ramp_credentials')).fiatOnRampCredentials
  expect(spec.map(({ fiatOnrampCredentialId }) => fiatOnrampCredentialId)).toEqual(ids)
  const providers = ['FIAT_ON_RAMP_PROVIDER_MOONPAY', 'FIAT_ON_RAMP_PROVIDER_PROVIDER_A']
  expect(spec.map(({ onrampProvider }) => onrampProvider)).toEqual(providers)

  const hosted = await found('list_fiat_on_ramp_credentials', {}, { dialect: 'hosted' })
  const names = ['FIAT_ON_RAMP_PROVIDER_MOONPAY', 'FIAT_ON_RAMP_PROVIDER_COINBASE']
  expect(hosted.fiatOnRampCredentials).toStrictEqual(
    spec.map((shown, index) => ({ ...shown, onrampProvider: names[index] })),
  )
})

test('every user of the organization sees them, and nobody of another organization', async () => {
  const { apiKey } = await anotherUser()
  expect(await found('list_fiat_on_ramp_credentials', {}, { apiKey })).toEqual(
    await found('list_fiat_on_ramp_credentials'),
  )
  const other = await server.createOrganization()
  const there = { organizationId: other.organizationId, apiKey: other.apiKey }
  expect(await found('list_fiat_on_ramp_credentials', {}, there)).toStrictEqual({ fiatOnRampCredentials: [] })
})
