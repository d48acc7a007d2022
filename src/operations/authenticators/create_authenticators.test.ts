import { describe, expect, test } from 'vitest'
import {
  absentId,
  expectRefused,
  newAuthenticator,
  repeated,
  startOrganization,
  uuid,
} from '../../../test/support/organization.ts'
import { type Ceremony, flags, newPasskey, registrationOf } from '../../../test/support/passkeys.ts'

const organization = await startOrganization()
const { rootUserId, submit, query, done, found, anotherUser } = organization
const { userId, apiKey } = await anotherUser()

/** A registration in which `changes` replace what an authenticator says. */
function registered(changes: Partial<Ceremony>) {
  const { challenge, attestation } = registrationOf(newPasskey('ES256'), changes)
  return newAuthenticator({ challenge, attestation: { ...attestation, transports: [] } })
}

for (const algorithm of ['ES256', 'RS256'] as const) {
  test(`a passkey of ${algorithm} stamps queries and activities from then on`, async () => {
    const { userId } = await anotherUser()
    const passkey = newPasskey(algorithm)
    const authenticators = [newAuthenticator({ passkey })]
    const result = await done('create_authenticators', { userId: userId.toUpperCase(), authenticators })
    expect(result).toStrictEqual({ authenticatorIds: [uuid] })
    expect(await found('whoami', {}, { passkey })).toMatchObject({ userId })
    const added = await submit('create_authenticators', { userId, authenticators: [newAuthenticator()] }, { passkey })
    expect(added.body.activity.votes).toMatchObject([{ userId, scheme: 'SIGNATURE_SCHEME_TK_WEBAUTHN' }])
  })
}

test("passkeys are added in order, with the given data and the authenticator's data", async () => {
  const { userId } = await anotherUser()
  const [first, second] = [newPasskey('ES256'), newPasskey('RS256')]
  const given = newAuthenticator({ passkey: second, authenticatorName: 'stick' })
  const transports = ['AUTHENTICATOR_TRANSPORT_USB', 'AUTHENTICATOR_TRANSPORT_NFC', 'AUTHENTICATOR_TRANSPORT_USB']
  const stick = { ...given, attestation: { ...Object(given.attestation), transports } }
  const phone = newAuthenticator({ passkey: first, authenticatorName: 'phone' })
  await done('create_authenticators', { userId, authenticators: [phone, stick] })
  const shown = (authenticatorName: string, { credentialId, cosePublicKey }: typeof first) => ({
    authenticatorName,
    credentialId: Buffer.from(credentialId).toString('base64url'),
    credential: {
      publicKey: Buffer.from(cosePublicKey).toString('base64url'),
      type: 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR',
    },
    attestationType: 'none',
    aaguid: Buffer.alloc(16, 0xaa).toString('base64url'),
  })
  const { user } = await found('get_user', { userId })
  expect(user.authenticators).toMatchObject([
    { ...shown('phone', first), transports: ['AUTHENTICATOR_TRANSPORT_INTERNAL'] },
    { ...shown('stick', second), transports: ['AUTHENTICATOR_TRANSPORT_USB', 'AUTHENTICATOR_TRANSPORT_NFC'] },
  ])
})

describe('invalid passkeys are refused', () => {
  const one = (given: object) => ({ authenticators: [newAuthenticator({ ...given })] })
  const at = 'parameters.authenticators[0]'
  const twice = newPasskey('ES256')
  for (const [claim, change, status, text] of [
    ['none', { authenticators: [] }, 400, 'parameters.authenticators must be a list of 1 to 20'],
    [
      '21',
      { authenticators: repeated(21, () => newAuthenticator()) },
      400,
      'parameters.authenticators must be a list of 1 to 20',
    ],
    ['of an unknown user', { userId: absentId }, 404, `there is no user ${absentId} in this organization`],
    ['no name', one({ authenticatorName: '' }), 400, `${at}.authenticatorName must be a text of 1 to 256`],
    [
      'a challenge of another ceremony',
      one({ challenge: Buffer.alloc(32).toString('base64url') }),
      400,
      `${at}.challenge must be the challenge that stands in clientDataJson`,
    ],
    ['a challenge that is not base64url', one({ challenge: '!' }), 400, `${at}.challenge must be base64url`],
    [
      'a stamp in place of a registration',
      { authenticators: [registered({ type: 'webauthn.get' })] },
      400,
      `${at}.attestation.clientDataJson must be client data JSON of the type webauthn.create`,
    ],
    [
      'a registration without user presence',
      { authenticators: [registered({ flags: flags.AT })] },
      400,
      `${at}.attestation.attestationObject must be an attestation object: it must say that a user was present`,
    ],
    [
      'the same passkey twice',
      { authenticators: [newAuthenticator({ passkey: twice }), newAuthenticator({ passkey: twice })] },
      400,
      'parameters.authenticators[1].attestation.credentialId must be a credential that the request names once',
    ],
  ] as const) {
    test(claim, async () => {
      const parameters = { userId, authenticators: [newAuthenticator()], ...change }
      expectRefused(await submit('create_authenticators', parameters), status, text)
    })
  }

  test('the id of another passkey', async () => {
    const { attestation } = newAuthenticator()
    const { credentialId } = Object(attestation)
    const given = newAuthenticator()
    const foreign = { ...given, attestation: { ...Object(given.attestation), credentialId } }
    const text = `${at}.attestation.credentialId must be the id of the credential in attestationObject`
    expectRefused(await submit('create_authenticators', { userId, authenticators: [foreign] }), 400, text)
  })
})

test('a credential id belongs to one user, even if another user has a different key under it', async () => {
  const passkey = newPasskey('ES256')
  await done('create_authenticators', { userId, authenticators: [newAuthenticator({ passkey })] })
  const impostor = newPasskey('RS256', { credentialId: passkey.credentialId })
  for (const [owner, given] of [
    [userId, passkey],
    [rootUserId, passkey],
    [rootUserId, impostor],
  ] as const) {
    const authenticators = [newAuthenticator(), newAuthenticator({ passkey: given })]
    const text = 'already in use: parameters.authenticators[1].attestation.credentialId'
    expectRefused(await submit('create_authenticators', { userId: owner, authenticators }), 400, text)
  }
  expectRefused(await query('whoami', {}, { passkey: impostor }), 401, 'could not verify WebAuthN signature')
})

test('the same bytes sent again are the same activity and add nothing', async () => {
  const { userId } = await anotherUser()
  const parameters = { userId, authenticators: [newAuthenticator()] }
  const { body: first } = await submit('create_authenticators', parameters)
  const { message } = first.activity.votes[0]
  const { server, rootKey } = organization
  const again = await server.post('/public/v1/submit/create_authenticators', message, rootKey)
  expect(again.body.activity.id).toBe(first.activity.id)
  expect((await found('get_authenticators', { userId })).authenticators).toHaveLength(1)
  // With another timestamp it is another request, and its credential is taken.
  expectRefused(await submit('create_authenticators', parameters), 400, 'already in use')
})

test('users may add passkeys to themselves and to nobody else', async () => {
  const authenticators = [newAuthenticator()]
  expectRefused(await submit('create_authenticators', { userId: rootUserId, authenticators }, { apiKey }), 403)
  const added = await done('create_authenticators', { userId, authenticators }, { apiKey })
  expect(added).toStrictEqual({ authenticatorIds: [uuid] })
})

test('a user has at most ten passkeys', async () => {
  const { userId } = await anotherUser()
  await done('create_authenticators', { userId, authenticators: repeated(10, () => newAuthenticator()) })
  const answer = await submit('create_authenticators', { userId, authenticators: [newAuthenticator()] })
  expectRefused(answer, 429, 'user has exceeded maximum authenticators (10)')
})

describe('the first type', () => {
  const type = 'ACTIVITY_TYPE_CREATE_AUTHENTICATORS'

  function given(changes: object = {}, attestation: object = {}) {
    const passkey = newPasskey('ES256')
    const { challenge, attestation: made } = registrationOf(passkey)
    const { credentialId: rawId, clientDataJson, attestationObject } = made
    const response = { clientDataJson, attestationObject, transports: ['AUTHENTICATOR_TRANSPORT_HYBRID'] }
    const all = { id: rawId, type: 'public-key', rawId, response, clientExtensionResults: {} }
    const authenticator = { authenticatorName: 'old', userId, challenge, attestation: { ...all, ...attestation } }
    return { passkey, authenticator: { ...authenticator, ...changes } }
  }

  test('takes a `PublicKeyCredential` of a browser', async () => {
    const more = { authenticatorAttachment: 'platform', clientExtensionResults: { credProps: { rk: true } } }
    const { passkey, authenticator } = given({ userId: userId.toUpperCase() }, more)
    const { body } = await submit('create_authenticators', { userId, authenticators: [authenticator] }, { type })
    expect(body.activity).toMatchObject({
      type,
      intent: { createAuthenticatorsIntent: { authenticators: [authenticator] } },
      result: { createAuthenticatorsResult: { authenticatorIds: [uuid] } },
    })
    expect(await found('whoami', {}, { passkey })).toMatchObject({ userId })
    const [authenticatorId] = body.activity.result.createAuthenticatorsResult.authenticatorIds
    expect((await found('get_authenticator', { authenticatorId })).authenticator).toMatchObject({
      authenticatorName: 'old',
      transports: ['AUTHENTICATOR_TRANSPORT_HYBRID'],
    })
  })

  test('is refused if it contradicts itself', async () => {
    const at = 'parameters.authenticators[0]'
    for (const [{ authenticator }, text] of [
      [given({ userId: rootUserId }), `${at}.userId must be the one in parameters.userId`],
      [given({}, { id: 'AAAA' }), `${at}.attestation.id must be the id that rawId is`],
      [given({}, { type: 'password' }), `${at}.attestation.type must be one of public-key`],
    ] as const) {
      const parameters = { userId, authenticators: [authenticator] }
      expectRefused(await submit('create_authenticators', parameters, { type }), 400, text)
    }
  })
})
