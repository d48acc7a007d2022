import { describe, expect, test } from 'vitest'
import {
  absentId,
  expectRefused,
  newAccount,
  newApiKey,
  newAuthenticator,
  type Parameters,
  repeated,
  uuid,
} from '../../../test/support/organization.ts'
import { startOrganizationWithIssuer } from '../../../test/support/organization_with_issuer.ts'
import { newPasskey } from '../../../test/support/passkeys.ts'
import { generateApiKey } from '../../../test/support/stamping.ts'

const { issuer, idToken, rootKey, query, submit, done, found, anotherUser } = await startOrganizationWithIssuer({
  limits: { usersMax: 100 },
})

function rootUser(given: Parameters = {}): Parameters {
  return { userName: 'root', apiKeys: [newApiKey()], authenticators: [], oauthProviders: [], ...given }
}
function newSubOrganization(given: Parameters = {}): Parameters {
  return { subOrganizationName: 'sub', rootUsers: [rootUser()], rootQuorumThreshold: 1, ...given }
}

test('a sub-organization is created with its users and its wallet, and its users can use it', async () => {
  const apiKey = generateApiKey()
  const contacts = { userEmail: 'ada@example.com', userPhoneNumber: '+14155550123' }
  const result = await done(
    'create_sub_organization',
    newSubOrganization({
      subOrganizationName: 'Ada',
      rootUsers: [
        rootUser({ apiKeys: [newApiKey({ publicKey: apiKey.publicKey })], ...contacts }),
        rootUser({ apiKeys: [] }),
      ],
      wallet: { walletName: 'wallet', accounts: [newAccount()], mnemonicLength: 24 },
      disableEmailRecovery: true,
      disableEmailAuth: false,
      disableSmsAuth: true,
      disableOtpEmailAuth: false,
    }),
  )
  expect(result).toStrictEqual({
    subOrganizationId: uuid,
    wallet: { walletId: uuid, addresses: [expect.stringMatching(/^0x/)] },
    rootUserIds: [uuid, uuid],
  })
  const inside = { organizationId: result.subOrganizationId, apiKey }
  const { organizationData } = await found('get_organization', {}, inside)
  expect(organizationData).toMatchObject({
    name: 'Ada',
    rootQuorum: { threshold: 1, userIds: result.rootUserIds },
    users: [contacts, {}],
    wallets: [{ walletId: result.wallet.walletId, walletName: 'wallet' }],
  })
  expect(await done('create_wallet', { walletName: 'another', accounts: [] }, inside)).toMatchObject({ walletId: uuid })
})

test("a passkey alone is enough, and the parent's id leads its user to the sub-organization", async () => {
  const passkey = newPasskey('ES256')
  const rootUsers = [rootUser({ apiKeys: [], authenticators: [newAuthenticator({ passkey })] })]
  const { subOrganizationId, rootUserIds } = await done('create_sub_organization', newSubOrganization({ rootUsers }))
  const who = { organizationId: subOrganizationId, userId: rootUserIds[0] }
  expect(await found('whoami', {}, { passkey })).toMatchObject(who)
  const inside = { organizationId: subOrganizationId, passkey }
  expect(await done('create_wallet', { walletName: 'mine', accounts: [] }, inside)).toMatchObject({ walletId: uuid })

  // Once another sub-organization has a user with this passkey, the parent's id stands for neither.
  const again = [rootUser({ apiKeys: [], authenticators: [newAuthenticator({ passkey })] })]
  await done('create_sub_organization', newSubOrganization({ rootUsers: again }))
  expect(await found('whoami', {}, inside)).toMatchObject(who)
  const text = 'more than one suborg associated with a credential ID'
  expectRefused(await query('whoami', {}, { passkey }), 401, text)
})

test('the first type has a passkey and no users', async () => {
  const passkey = newPasskey('ES256')
  const parameters = { name: 'first', rootAuthenticator: newAuthenticator({ passkey }) }
  const type = 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION'
  const result = await done('create_sub_organization', parameters, { type })
  expect(result).toStrictEqual({ subOrganizationId: uuid, rootUserIds: [uuid] })
  expect(await found('whoami', {}, { passkey })).toMatchObject({ organizationId: result.subOrganizationId })
})

const provider = (sub: string) => ({ providerName: 'Issuer', oidcToken: idToken({ sub }) })

test('an OAuth provider alone is enough, and one identity may be in many sub-organizations', async () => {
  for (const _ of [1, 2]) {
    const rootUsers = [rootUser({ apiKeys: [], oauthProviders: [provider('ada')] })]
    const result = await done('create_sub_organization', newSubOrganization({ rootUsers }))
    const { oauthProviders } = await found('get_oauth_providers', { organizationId: result.subOrganizationId })
    expect(oauthProviders).toMatchObject([{ issuer: issuer.url, audience: issuer.clientId, subject: 'ada' }])
  }
})

test('without a wallet the result has none', async () => {
  const result = await done('create_sub_organization', newSubOrganization({ wallet: null }))
  expect(result).toStrictEqual({ subOrganizationId: uuid, rootUserIds: [uuid] })
})

test('a name, and a key, may be used in many sub-organizations', async () => {
  const rootUsers = [rootUser({ apiKeys: [newApiKey({ publicKey: rootKey.publicKey })] })]
  for (const _ of [1, 2])
    await done('create_sub_organization', newSubOrganization({ subOrganizationName: 'same', rootUsers }))
})

describe('invalid sub-organizations are refused', () => {
  const twice = newApiKey()
  const passkey = newPasskey('ES256')
  const users = (...given: readonly Parameters[]) => ({ rootUsers: given.map(rootUser) })
  const wallet = (given: object) => ({ wallet: { walletName: 'wallet', accounts: [], ...given } })
  const signature = {
    publicKey: '',
    scheme: 'CLIENT_SIGNATURE_SCHEME_API_P256',
    message: '{}',
    signature: '00'.repeat(64),
  }
  for (const [claim, change, status, text] of [
    ['an empty name', { subOrganizationName: '' }, 400, 'parameters.subOrganizationName must be a text'],
    ['no root user', { rootUsers: [] }, 400, 'parameters.rootUsers must be a list of 1 to 100'],
    [
      '101 root users',
      { rootUsers: repeated(101, () => rootUser()) },
      400,
      'parameters.rootUsers must be a list of 1 to 100',
    ],
    ['a threshold of 0', { rootQuorumThreshold: 0 }, 400, 'parameters.rootQuorumThreshold must be a whole number'],
    ['a threshold of 2', { rootQuorumThreshold: 2 }, 400, 'parameters.rootQuorumThreshold must be at most 1'],
    [
      'a threshold of 0',
      { rootQuorumThreshold: 0 },
      400,
      'parameters.rootQuorumThreshold must be a whole number from 1',
    ],
    [
      'a threshold that is a text',
      { rootQuorumThreshold: '1' },
      400,
      'parameters.rootQuorumThreshold must be a whole number',
    ],
    [
      'users without credentials',
      users({ apiKeys: [] }),
      400,
      'parameters.rootUsers: too few root users have a credential',
    ],
    [
      'a threshold that nobody can reach',
      { ...users({}, { apiKeys: [] }), rootQuorumThreshold: 2 },
      400,
      'parameters.rootUsers: too few root users have a credential',
    ],
    [
      'a key twice',
      users({ apiKeys: [twice] }, { apiKeys: [twice] }),
      400,
      'parameters.rootUsers[1].apiKeys[0].publicKey',
    ],
    [
      '21 keys of a user',
      users({ apiKeys: repeated(21, () => newApiKey()) }),
      400,
      'apiKeys must be a list of at most 20',
    ],
    [
      '11 long-lived keys of a user',
      users({ apiKeys: repeated(11, () => newApiKey()) }),
      429,
      'maximum long-lived api keys (10)',
    ],
    ['user tags', users({ userTags: [] }), 400, 'parameters.rootUsers[0].userTags must be left out'],
    [
      'a passkey twice',
      users({ authenticators: [newAuthenticator({ passkey })] }, { authenticators: [newAuthenticator({ passkey })] }),
      400,
      'parameters.rootUsers[1].authenticators[0].attestation.credentialId must be a credential that the request names',
    ],
    [
      '11 passkeys of a user',
      users({ authenticators: repeated(11, () => newAuthenticator()) }),
      429,
      'user has exceeded maximum authenticators (10)',
    ],
    [
      'an invalid passkey',
      users({ authenticators: [newAuthenticator({ challenge: 'AAAA' })] }),
      400,
      'parameters.rootUsers[0].authenticators[0].challenge must be the challenge',
    ],
    [
      'a provider with an invalid token',
      users({ oauthProviders: [{ providerName: 'a', oidcToken: 'a' }] }),
      400,
      'invalid OIDC token: parameters.rootUsers[0].oauthProviders[0].oidcToken',
    ],
    [
      'an identity of two users',
      users({ oauthProviders: [provider('x')] }, { oauthProviders: [provider('x')] }),
      409,
      'parameters.rootUsers[1].oauthProviders[0]',
    ],
    [
      'a token without a signature',
      { verificationToken: 'token' },
      400,
      'parameters.clientSignature must be a signature',
    ],
    [
      'a client signature without a token',
      { clientSignature: signature },
      400,
      'parameters.clientSignature must be left out',
    ],
    ['a wallet without a name', wallet({ walletName: '' }), 400, 'parameters.wallet.walletName must be a text'],
    ['a wallet of 13 words', wallet({ mnemonicLength: 13 }), 400, 'parameters.wallet.mnemonicLength must be one of 12'],
    [
      'a wallet of 1001 accounts',
      wallet({ accounts: repeated(1001, () => newAccount()) }),
      400,
      'parameters.wallet.accounts must be a list',
    ],
    [
      'a wallet with a path twice',
      wallet({ accounts: [newAccount(), newAccount()] }),
      409,
      'parameters.wallet.accounts[1].path',
    ],
    [
      'a wallet with a bad format',
      wallet({ accounts: [newAccount({ curve: 'CURVE_P256' })] }),
      400,
      'parameters.wallet.accounts[0].addressFormat',
    ],
  ] as const) {
    test(claim, async () => {
      expectRefused(await submit('create_sub_organization', newSubOrganization(change)), status, text)
    })
  }
})

test('a hundred root users are accepted', async () => {
  const parameters = newSubOrganization({ rootUsers: repeated(100, () => rootUser()) })
  expect((await done('create_sub_organization', parameters)).rootUserIds).toHaveLength(100)
})

test('a sub-organization may not create another one below it', async () => {
  const apiKey = generateApiKey()
  const rootUsers = [rootUser({ apiKeys: [newApiKey({ publicKey: apiKey.publicKey })] })]
  const { subOrganizationId } = await done('create_sub_organization', newSubOrganization({ rootUsers }))
  const answer = await submit('create_sub_organization', newSubOrganization(), {
    apiKey,
    organizationId: subOrganizationId,
  })
  expectRefused(answer, 403, 'a sub-organization cannot have sub-organizations')
})

test('an unknown organization may not create one', async () => {
  const answer = await submit('create_sub_organization', newSubOrganization(), { organizationId: absentId })
  expectRefused(answer, 404, 'no organization found with the given ID')
})

test('a user outside of the root quorum may not create a sub-organization', async () => {
  const { apiKey } = await anotherUser()
  expectRefused(await submit('create_sub_organization', newSubOrganization(), { apiKey }), 403)
})
