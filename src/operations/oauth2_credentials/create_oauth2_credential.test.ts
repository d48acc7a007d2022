import { quorumKeyEncrypt } from '@turnkey/crypto'
import { describe, expect, test } from 'vitest'
import { openDatabaseDigest } from '../../../test/support/database_digest.ts'
import {
  expectRefused,
  type Parameters,
  startOrganization,
  timestamp,
  uuid,
} from '../../../test/support/organization.ts'
import { newP256Pair } from '../../../test/support/p256_pairs.ts'
import { clientSecretOf, encryptersTo, newOauth2Credential } from '../../../test/support/provider_secrets.ts'

const organization = await startOrganization({ limits: { providerCredentialsMax: 20 } })
const { server, organizationId, submit, done, found, anotherUser } = organization
const keys = await server.vault.publishedKeys()
const { encryptOauth2 } = encryptersTo(keys)
const digest = openDatabaseDigest(server)

const sound = await encryptOauth2('secret')
const create = (given: Parameters = {}) => submit('create_oauth2_credential', newOauth2Credential(sound, given))

for (const provider of [
  'OAUTH2_PROVIDER_PROVIDER_A',
  'OAUTH2_PROVIDER_X',
  'OAUTH2_PROVIDER_PROVIDER_B',
  'OAUTH2_PROVIDER_DISCORD',
]) {
  test(`a credential for ${provider} is shown as it was given, its secret sealed and shown as it was sent`, async () => {
    const given = newOauth2Credential(await encryptOauth2(`geheim of ${provider} 🔑`), { provider })
    const result = await done('create_oauth2_credential', given)
    expect(result).toStrictEqual({ oauth2CredentialId: uuid })
    const { oauth2CredentialId } = result
    expect(await found('get_oauth2_credential', { oauth2CredentialId })).toStrictEqual({
      oauth2Credential: {
        oauth2CredentialId,
        organizationId,
        ...given,
        createdAt: timestamp,
        updatedAt: timestamp,
      },
    })
    expect(await clientSecretOf(server, { organizationId, oauth2CredentialId })).toBe(`geheim of ${provider} 🔑`)
  })
}

describe('invalid credentials are refused', () => {
  for (const [claim, given, text] of [
    ['an empty client id', { clientId: '' }, 'parameters.clientId must be a text of 1 to 256'],
    ['a client id of 257 characters', { clientId: 'x'.repeat(257) }, 'parameters.clientId must be a text of 1 to 256'],
    [
      'an empty ciphertext',
      { encryptedClientSecret: '' },
      'encryptedClientSecret must be a secret encrypted to the key',
    ],
    [
      'a ciphertext of 16,385 characters',
      { encryptedClientSecret: '0'.repeat(16_385) },
      'parameters.encryptedClientSecret must be a secret encrypted to the key `tlsFetcherEncryption`',
    ],
  ] as const) {
    test(claim, async () => {
      expectRefused(await create(given), 400, text)
    })
  }
})

/** Bytes encrypted to the right key, whether they are a text or not. */
async function sealed(bytes: Uint8Array): Promise<string> {
  const receiver = new Uint8Array(Buffer.from(keys.tlsFetcherEncryption?.uncompressed ?? '', 'hex'))
  return Buffer.from(await quorumKeyEncrypt(receiver, bytes)).toString('hex')
}

describe('a secret that does not open is refused with its field', async () => {
  const { encryptOauth2: encryptToAnother } = encryptersTo({ ...keys, tlsFetcherEncryption: newP256Pair() })
  const flipped = sound.at(-1) === '0' ? '1' : '0'
  for (const [claim, text, reason] of [
    ['one changed digit', sound.slice(0, -1) + flipped, 'it does not open'],
    ['a missing end', sound.slice(0, -2), 'must be hex of an envelope'],
    ['a text that is not hex', 'secret', 'must be hex of an envelope'],
    ['encrypted to another key', await encryptToAnother('secret'), 'it does not open'],
    ['an empty secret', await sealed(new Uint8Array()), 'a text in UTF-8 that is not empty'],
    ['a secret that is no text', await sealed(Uint8Array.of(0xff, 0xfe)), 'a text in UTF-8 that is not empty'],
  ] as const) {
    test(claim, async () => {
      const before = digest.read()
      expectRefused(await create({ encryptedClientSecret: text }), 400, 'parameters.encryptedClientSecret', reason)
      expect(digest.read()).toBe(before)
    })
  }
})

test('a secret of 4,096 bytes is taken', async () => {
  const longest = 'x'.repeat(4_096)
  const given = newOauth2Credential(await encryptOauth2(longest))
  const { oauth2CredentialId } = await done('create_oauth2_credential', given)
  expect(await clientSecretOf(server, { organizationId, oauth2CredentialId })).toBe(longest)
})

test('a user outside of the root quorum may not make a credential', async () => {
  const { apiKey } = await anotherUser()
  expectRefused(await submit('create_oauth2_credential', newOauth2Credential(sound), { apiKey }), 403)
})

test('an organization has at most as many credentials as its limit', async () => {
  const { oauth2Credentials } = await found('list_oauth2_credentials')
  for (let count = oauth2Credentials.length; count < 20; count += 1) expect((await create()).status).toBe(200)
  expectRefused(await create(), 429, 'an organization has at most 20 credentials of this kind')
})
