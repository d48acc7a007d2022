import { describe, expect, test } from 'vitest'
import {
  type Answer,
  absentId,
  expectRefused,
  newAccount,
  newApiKey,
  newAuthenticator,
  repeated,
} from '../../../test/support/organization.ts'
import { startOrganizationWithIssuer } from '../../../test/support/organization_with_issuer.ts'
import { newPasskey } from '../../../test/support/passkeys.ts'
import { generateApiKey } from '../../../test/support/stamping.ts'

const { query, found, done, clock, idToken } = await startOrganizationWithIssuer()
const key = generateApiKey()
const passkey = newPasskey('ES256')
const credentialId = Buffer.from(passkey.credentialId).toString('base64url')

/** Twelve sub-organizations, named `even` and `odd` in turn, whose users share a name. */
const made: Answer['body'][] = []
for (const index of repeated(12, (index) => index)) {
  made.push(
    await done('create_sub_organization', {
      subOrganizationName: index % 2 === 0 ? 'even' : 'odd',
      rootQuorumThreshold: 1,
      rootUsers: [
        {
          userName: 'everyone',
          userEmail: `User${index}@example.com`,
          userPhoneNumber: `+1415555012${index % 10}`,
          apiKeys: [newApiKey(index === 3 ? { publicKey: key.publicKey } : {})],
          authenticators: index === 6 ? [newAuthenticator({ passkey })] : [],
          oauthProviders: [{ providerName: 'Issuer', oidcToken: idToken({ sub: `subject ${index % 10}` }) }],
        },
      ],
      wallet: { walletName: 'wallet', accounts: [newAccount()] },
    }),
  )
}
const ids = made.map(({ subOrganizationId }) => subOrganizationId)
const evens = ids.filter((_, index) => index % 2 === 0)

const listed = async (parameters: object) => (await found('list_suborgs', { ...parameters })).organizationIds

test('all sub-organizations are listed, oldest first, ten on a page', async () => {
  expect(await found('list_suborgs')).toStrictEqual({ organizationIds: ids.slice(0, 10) })
  expect(await listed({ paginationOptions: { limit: '100' } })).toEqual(ids)
  expect(await listed({ paginationOptions: { after: ids[9] } })).toEqual(ids.slice(10))
  expect(await listed({ paginationOptions: { before: ids[5], limit: '2' } })).toEqual(ids.slice(3, 5))
})

describe('a filter', () => {
  for (const [filterType, filterValue, expected] of [
    ['NAME', 'even', evens],
    ['NAME', 'Even', []],
    ['USERNAME', 'everyone', ids],
    ['EMAIL', 'user7@EXAMPLE.com', [ids[7]]],
    ['PHONE_NUMBER', '+14155550125', [ids[5]]],
    ['PHONE_NUMBER', '+14155550121', [ids[1], ids[11]]],
    ['PUBLIC_KEY', key.publicKey.toUpperCase(), [ids[3]]],
    ['CREDENTIAL_ID', credentialId, [ids[6]]],
    ['CREDENTIAL_ID', `${credentialId}==`, [ids[6]]],
    ['CREDENTIAL_ID', 'bm9ib2R5', []],
    ['CREDENTIAL_ID', key.publicKey, []],
    ['WALLET_ACCOUNT_ADDRESS', made[4].wallet.addresses[0].toLowerCase(), [ids[4]]],
    ['WALLET_ACCOUNT_ADDRESS', 'nowhere', []],
  ] as const) {
    test(`by ${filterType} finds those with ${filterValue.slice(0, 20)}`, async () => {
      expect(await listed({ filterType, filterValue, paginationOptions: { limit: '100' } })).toEqual(expected)
    })
  }

  test("by OIDC_TOKEN finds the sub-organizations of the token's users", async () => {
    const by = (claims: object) => ({ filterType: 'OIDC_TOKEN', filterValue: idToken({ ...claims }) })
    expect(await listed(by({ sub: 'subject 4' }))).toEqual([ids[4]])
    expect(await listed(by({ sub: 'subject 1' }))).toEqual([ids[1], ids[11]])
    expect(await listed(by({ sub: 'subject 4', aud: 'another client' }))).toEqual([])
  })

  test('by OIDC_TOKEN accepts the tokens that a login accepts, and no others', async () => {
    const filterType = 'OIDC_TOKEN'
    const expired = idToken({ sub: 'subject 4', exp: Math.floor(clock.nowMs / 1_000) - 61 })
    const foreign = idToken({ sub: 'subject 4', iss: 'https://other.example' })
    for (const [filterValue, text] of [
      ['token', 'invalid OIDC token: filterValue: '],
      [expired, 'it has expired'],
      [foreign, 'CLAVIGER_OIDC_ISSUERS'],
      [`${idToken({ sub: 'subject 4' }).slice(0, -8)}AAAAAAAA`, 'its signature does not verify'],
    ] as const) {
      expectRefused(await query('list_suborgs', { filterType, filterValue }), 400, text)
    }
  })

  test('has pages too', async () => {
    const by = { filterType: 'USERNAME', filterValue: 'everyone' }
    expect(await listed(by)).toEqual(ids.slice(0, 10))
    expect(await listed({ ...by, paginationOptions: { limit: '3', after: ids[3] } })).toEqual(ids.slice(4, 7))
    expect(await listed({ ...by, paginationOptions: { limit: '3', before: ids[8] } })).toEqual(ids.slice(5, 8))
  })

  for (const [claim, parameters, text] of [
    ['without a value', { filterType: 'NAME' }, 'filterValue must be present'],
    ['without a type', { filterValue: 'even' }, 'filterType must be present'],
    [
      'of another type',
      { filterType: 'COLOUR', filterValue: 'red' },
      'filterType must be one of NAME, USERNAME, EMAIL',
    ],
    ['by the name of a prototype', { filterType: 'constructor', filterValue: 'x' }, 'filterType must be one of NAME'],
    ['by an empty value', { filterType: 'NAME', filterValue: '' }, 'filterValue must be a text of 1 to 512 characters'],
    [
      'by 513 characters',
      { filterType: 'NAME', filterValue: 'x'.repeat(513) },
      'filterValue must be a text of 1 to 512',
    ],
    ['with both cursors', { paginationOptions: { before: ids[0], after: ids[1] } }, 'paginationOptions must be given'],
    ['after an unknown id', { paginationOptions: { after: absentId } }, 'paginationOptions: the cursor'],
    [
      'after an id that the filter does not match',
      { filterType: 'NAME', filterValue: 'even', paginationOptions: { after: ids[1] } },
      'paginationOptions: the cursor',
    ],
  ] as const) {
    test(`${claim} is refused`, async () => {
      expectRefused(await query('list_suborgs', parameters), 400, text)
    })
  }
})
