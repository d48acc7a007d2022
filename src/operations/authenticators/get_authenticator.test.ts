import { expect, test } from 'vitest'
import {
  absentId,
  expectRefused,
  newAuthenticator,
  startOrganization,
  timestamp,
} from '../../../test/support/organization.ts'
import { newPasskey } from '../../../test/support/passkeys.ts'

const { rootUserId, query, found, done } = await startOrganization()

test('a passkey is shown with every field', async () => {
  const passkey = newPasskey('ES256')
  const authenticators = [newAuthenticator({ passkey, authenticatorName: 'phone' })]
  const { authenticatorIds } = await done('create_authenticators', { userId: rootUserId, authenticators })
  const [authenticatorId] = authenticatorIds
  expect(await found('get_authenticator', { authenticatorId: authenticatorId.toUpperCase() })).toStrictEqual({
    authenticator: {
      transports: ['AUTHENTICATOR_TRANSPORT_INTERNAL'],
      attestationType: 'none',
      aaguid: Buffer.alloc(16, 0xaa).toString('base64url'),
      credentialId: Buffer.from(passkey.credentialId).toString('base64url'),
      model: 'Security key',
      credential: {
        publicKey: Buffer.from(passkey.cosePublicKey).toString('base64url'),
        type: 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR',
      },
      authenticatorId,
      authenticatorName: 'phone',
      createdAt: timestamp,
      updatedAt: timestamp,
    },
  })
})

test('an unknown id is 404', async () => {
  const [{ apiKeyId }] = (await found('get_api_keys')).apiKeys
  for (const authenticatorId of [absentId, rootUserId, apiKeyId]) {
    const text = `webauthn authenticator not found in organization: there is no ${authenticatorId}`
    expectRefused(await query('get_authenticator', { authenticatorId }), 404, text)
  }
})
