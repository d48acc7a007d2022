import { describe, expect, test } from 'vitest'
import { openDatabaseDigest } from '../../../test/support/database_digest.ts'
import { absentId, expectRefused, startOrganization } from '../../../test/support/organization.ts'
import { encryptersTo, newOnRampCredential, onRampSecretsOf } from '../../../test/support/provider_secrets.ts'

const { server, clock, organizationId, submit, done, found, anotherUser } = await startOrganization()
const { encryptOnRamp } = encryptersTo(await server.vault.publishedKeys())
const digest = openDatabaseDigest(server)

const full = () =>
  newOnRampCredential(encryptOnRamp('old secret'), {
    projectId: 'old project',
    encryptedPrivateApiKey: encryptOnRamp('old private'),
    sandboxMode: true,
  })

async function created(given: object = full()) {
  const { fiatOnRampCredentialId } = await done('create_fiat_on_ramp_credential', { ...given })
  return fiatOnRampCredentialId
}

async function stateOf(id: string) {
  const { fiatOnRampCredentials } = await found('list_fiat_on_ramp_credentials')
  const shown = fiatOnRampCredentials.find(
    (one: { fiatOnrampCredentialId: string }) => one.fiatOnrampCredentialId === id,
  )
  return { shown, secrets: await onRampSecretsOf(server, { organizationId, fiatOnrampCredentialId: id }) }
}

const changed = () => ({
  onrampProvider: 'FIAT_ON_RAMP_PROVIDER_PROVIDER_B',
  publishableApiKey: 'new publishable',
  encryptedSecretApiKey: encryptOnRamp('new secret'),
})

test('given fields are replaced; an absent private key, project and mode stay', async () => {
  const before = full()
  const fiatOnrampCredentialId = await created(before)
  const { shown: first } = await stateOf(fiatOnrampCredentialId)
  clock.nowMs += 5_000
  const given = changed()
  expect(await done('update_fiat_on_ramp_credential', { fiatOnrampCredentialId, ...given })).toStrictEqual({
    fiatOnRampCredentialId: fiatOnrampCredentialId,
  })
  const { shown, secrets } = await stateOf(fiatOnrampCredentialId)
  expect(shown).toStrictEqual({ ...first, ...given, updatedAt: shown.updatedAt })
  expect(shown).toMatchObject({ projectId: 'old project', sandboxMode: true, createdAt: first.createdAt })
  expect(Number(shown.updatedAt.seconds)).toBe(Number(first.updatedAt.seconds) + 5)
  expect(secrets).toEqual({ secretApiKey: 'new secret', privateApiKey: 'old private' })
})

test('both secrets are replaced when both are given', async () => {
  const fiatOnrampCredentialId = await created()
  const given = { ...changed(), projectId: 'new project', encryptedPrivateApiKey: encryptOnRamp('new private') }
  await done('update_fiat_on_ramp_credential', {
    fiatOnrampCredentialId: fiatOnrampCredentialId.toUpperCase(),
    ...given,
  })
  const { shown, secrets } = await stateOf(fiatOnrampCredentialId)
  expect(shown).toMatchObject(given)
  expect(secrets).toEqual({ secretApiKey: 'new secret', privateApiKey: 'new private' })
})

test('an update adds a private key to a credential without one, and the next update keeps it', async () => {
  const fiatOnrampCredentialId = await created(newOnRampCredential(encryptOnRamp('old secret')))
  const encryptedPrivateApiKey = encryptOnRamp('new private')
  await done('update_fiat_on_ramp_credential', { fiatOnrampCredentialId, ...changed(), encryptedPrivateApiKey })
  await done('update_fiat_on_ramp_credential', { fiatOnrampCredentialId, ...changed(), encryptedPrivateApiKey: null })
  const { shown, secrets } = await stateOf(fiatOnrampCredentialId)
  expect(shown.encryptedPrivateApiKey).toBe(encryptedPrivateApiKey)
  expect(secrets).toEqual({ secretApiKey: 'new secret', privateApiKey: 'new private' })
})

describe('a refused update changes nothing', () => {
  for (const [claim, change, status, text] of [
    [
      'the secret does not open',
      { encryptedSecretApiKey: encryptOnRamp('secret').slice(1) },
      400,
      'parameters.encryptedSecretApiKey',
    ],
    ['the private key does not open', { encryptedPrivateApiKey: '1' }, 400, 'parameters.encryptedPrivateApiKey'],
    ['an unknown provider', { onrampProvider: 'COINBASE' }, 400, 'parameters.onrampProvider must be one of'],
    [
      'the sandbox mode, which cannot be changed',
      { sandboxMode: false },
      400,
      'parameters.sandboxMode must be left out',
    ],
    [
      'an unknown id',
      { fiatOnrampCredentialId: absentId },
      404,
      `there is no fiat on ramp credential ${absentId} in this organization`,
    ],
  ] as const) {
    test(claim, async () => {
      const given = { fiatOnrampCredentialId: await created(), ...changed() }
      const before = digest.read()
      expectRefused(await submit('update_fiat_on_ramp_credential', { ...given, ...change }), status, text)
      expect(digest.read()).toBe(before)
    })
  }

  test('a user outside of the root quorum', async () => {
    const given = { fiatOnrampCredentialId: await created(), ...changed() }
    const { apiKey } = await anotherUser()
    expectRefused(await submit('update_fiat_on_ramp_credential', given, { apiKey }), 403)
  })

  test("another organization's credential, as if it did not exist", async () => {
    const other = await server.createOrganization()
    const there = { organizationId: other.organizationId, apiKey: other.apiKey }
    const id = (await done('create_fiat_on_ramp_credential', full(), there)).fiatOnRampCredentialId
    const foreign = await submit('update_fiat_on_ramp_credential', { fiatOnrampCredentialId: id, ...changed() })
    expectRefused(foreign, 404, `there is no fiat on ramp credential ${id} in this organization`)
  })
})
