import { describe, expect, test } from 'vitest'
import { openDatabaseDigest } from '../../../test/support/database_digest.ts'
import {
  expectRefused,
  type Parameters,
  startOrganization,
  timestamp,
  uuid,
} from '../../../test/support/organization.ts'
import { newP256Pair, randomBytes } from '../../../test/support/p256_pairs.ts'
import { encryptersTo, newOnRampCredential, onRampSecretsOf } from '../../../test/support/provider_secrets.ts'
import { sealCompactBundle } from '../../protocol/bundles/compact_bundle.ts'
import { SecretBytes } from '../../protocol/crypto/secret_bytes.ts'

const organization = await startOrganization({ limits: { providerCredentialsMax: 20 } })
const { server, organizationId, submit, done, found, anotherUser } = organization
const keys = await server.vault.publishedKeys()
const { encryptOnRamp } = encryptersTo(keys)
const digest = openDatabaseDigest(server)

const create = (given: Parameters = {}) =>
  submit('create_fiat_on_ramp_credential', newOnRampCredential(encryptOnRamp('secret'), given))
const secretsOf = (fiatOnrampCredentialId: string) =>
  onRampSecretsOf(server, { organizationId, fiatOnrampCredentialId })

test('a credential is kept with every field; its secrets are sealed and shown as they were sent', async () => {
  const given = newOnRampCredential(encryptOnRamp('the secret key'), {
    projectId: 'project',
    encryptedPrivateApiKey: encryptOnRamp('-----BEGIN EC PRIVATE KEY-----\nschlüssel\n-----END EC PRIVATE KEY-----\n'),
    sandboxMode: true,
  })
  const result = await done('create_fiat_on_ramp_credential', given)
  expect(result).toStrictEqual({ fiatOnRampCredentialId: uuid })
  const fiatOnrampCredentialId = result.fiatOnRampCredentialId
  const times = { createdAt: timestamp, updatedAt: timestamp }
  expect((await found('list_fiat_on_ramp_credentials')).fiatOnRampCredentials).toStrictEqual([
    { fiatOnrampCredentialId, organizationId, ...given, ...times },
  ])
  expect(await secretsOf(fiatOnrampCredentialId)).toEqual({
    secretApiKey: 'the secret key',
    privateApiKey: '-----BEGIN EC PRIVATE KEY-----\nschlüssel\n-----END EC PRIVATE KEY-----\n',
  })
})

for (const onrampProvider of [
  'FIAT_ON_RAMP_PROVIDER_PROVIDER_A',
  'FIAT_ON_RAMP_PROVIDER_COINBASE',
  'FIAT_ON_RAMP_PROVIDER_PROVIDER_B',
  'FIAT_ON_RAMP_PROVIDER_MOONPAY',
]) {
  test(`${onrampProvider} is shown as it was given; optional fields may be absent`, async () => {
    const given = newOnRampCredential(encryptOnRamp('secret'), { onrampProvider })
    const { fiatOnRampCredentialId } = await done('create_fiat_on_ramp_credential', given)
    const { fiatOnRampCredentials } = await found('list_fiat_on_ramp_credentials')
    expect(fiatOnRampCredentials.at(-1)).toStrictEqual({
      fiatOnrampCredentialId: fiatOnRampCredentialId,
      organizationId,
      ...given,
      sandboxMode: false,
      createdAt: timestamp,
      updatedAt: timestamp,
    })
    expect(await secretsOf(fiatOnRampCredentialId)).toEqual({ secretApiKey: 'secret', privateApiKey: undefined })
  })
}

describe('invalid credentials are refused', () => {
  for (const [claim, given, text] of [
    ['an unknown provider', { onrampProvider: 'FIAT_ON_RAMP_PROVIDER_ACME' }, 'onrampProvider must be one of FIAT_'],
    ['an empty publishable key', { publishableApiKey: '' }, 'parameters.publishableApiKey must be a text of 1 to 256'],
    ['an empty project', { projectId: '' }, 'parameters.projectId must be a text of 1 to 256'],
    [
      'an empty ciphertext',
      { encryptedSecretApiKey: '' },
      'parameters.encryptedSecretApiKey must be a secret encrypted',
    ],
    [
      'a ciphertext of 4,097 characters',
      { encryptedSecretApiKey: '1'.repeat(4_097) },
      'parameters.encryptedSecretApiKey must be a secret encrypted to the key `onRampEncryption`',
    ],
  ] as const) {
    test(claim, async () => {
      expectRefused(await create(given), 400, text)
    })
  }
})

/** Bytes encrypted to the right key, whether they are a text or not. */
function sealed(bytes: Uint8Array): string {
  using plaintext = new SecretBytes(bytes)
  const receiver = new Uint8Array(Buffer.from(keys.onRampEncryption?.uncompressed ?? '', 'hex'))
  return sealCompactBundle({ receiver, plaintext, randomBytes })
}

describe.each(['encryptedSecretApiKey', 'encryptedPrivateApiKey'])(
  '%s that does not open is refused with its field',
  (field) => {
    const { encryptOnRamp: encryptToAnother } = encryptersTo({ ...keys, onRampEncryption: newP256Pair() })
    const sound = encryptOnRamp('secret')
    const swapped = sound.at(-9) === 'a' ? 'b' : 'a'
    for (const [claim, text, reason] of [
      ['one changed letter', sound.slice(0, -9) + swapped + sound.slice(-8), 'must be Base58Check'],
      ['a missing end', sound.slice(0, -1), 'must be Base58Check'],
      ['a text that is not Base58', '0OIl', 'must be Base58Check'],
      ['encrypted to another key', encryptToAnother('secret'), 'it does not open'],
      ['an empty secret', encryptOnRamp(''), 'a text in UTF-8 that is not empty'],
      ['a secret that is no text', sealed(Uint8Array.of(0xff, 0xfe)), 'a text in UTF-8 that is not empty'],
    ] as const) {
      test(claim, async () => {
        const before = digest.read()
        expectRefused(await create({ [field]: text }), 400, `parameters.${field}`, reason)
        expect(digest.read()).toBe(before)
      })
    }
  },
)

test('secrets of up to 2,048 bytes are taken', async () => {
  const longest = 'x'.repeat(2_048)
  const given = { encryptedSecretApiKey: encryptOnRamp(longest), encryptedPrivateApiKey: encryptOnRamp(longest) }
  const { fiatOnRampCredentialId } = await done(
    'create_fiat_on_ramp_credential',
    newOnRampCredential(encryptOnRamp('never'), given),
  )
  expect(await secretsOf(fiatOnRampCredentialId)).toEqual({ secretApiKey: longest, privateApiKey: longest })
})

test('a user outside of the root quorum may not make a credential', async () => {
  const { apiKey } = await anotherUser()
  const given = newOnRampCredential(encryptOnRamp('secret'))
  expectRefused(await submit('create_fiat_on_ramp_credential', given, { apiKey }), 403)
})

test('an organization has at most as many credentials as its limit', async () => {
  const { fiatOnRampCredentials } = await found('list_fiat_on_ramp_credentials')
  for (let count = fiatOnRampCredentials.length; count < 20; count += 1) expect((await create()).status).toBe(200)
  expectRefused(await create(), 429, 'an organization has at most 20 credentials of this kind')
})
