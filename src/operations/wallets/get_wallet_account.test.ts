import { describe, expect, test } from 'vitest'
import {
  absentId,
  expectRefused,
  newAccount,
  startOrganization,
  timestamp,
  uuid,
} from '../../../test/support/organization.ts'

const { organizationId, query, found, done } = await startOrganization()
const path = "m/44'/60'/0'/0/0"
const { walletId, addresses } = await done('create_wallet', {
  walletName: 'wallet',
  accounts: [newAccount({ name: 'mine' })],
})
const [address] = addresses
const other = await done('create_wallet', { walletName: 'other', accounts: [newAccount()] })

const account = {
  walletAccountId: uuid,
  organizationId,
  walletId,
  curve: 'CURVE_SECP256K1',
  pathFormat: 'PATH_FORMAT_BIP32',
  path,
  addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
  address,
  createdAt: timestamp,
  updatedAt: timestamp,
  publicKey: expect.stringMatching(/^0[23][0-9a-f]{64}$/),
  walletDetails: {
    walletId,
    walletName: 'wallet',
    createdAt: timestamp,
    updatedAt: timestamp,
    exported: false,
    imported: false,
  },
  name: 'mine',
}

for (const [claim, by] of [
  ['its address', { address }],
  ['its address in lower case', { address: address.toLowerCase() }],
  ['its path', { path }],
  ['both', { address, path }],
] as const) {
  test(`an account is found by ${claim}`, async () => {
    expect(await found('get_wallet_account', { walletId, ...by })).toStrictEqual({ account })
  })
}

describe('invalid requests are refused', () => {
  for (const [claim, by, status, text] of [
    ['neither address nor path', {}, 400, 'address must be present unless `path` is'],
    ['nulls', { address: null, path: null }, 400, 'address must be present unless `path` is'],
    ['an empty address', { address: '' }, 400, 'address must be an address'],
    ['an address of 257 characters', { address: 'a'.repeat(257) }, 400, 'address must be an address'],
    ['an empty path', { path: '' }, 400, 'path must be a derivation path'],
    ['an address of another wallet', { address: other.addresses[0] }, 404, 'there is no such account in this wallet'],
    ['another path', { path: 'm/1' }, 404, 'there is no such account in this wallet'],
    ['an address at another path', { address, path: 'm/1' }, 404, 'there is no such account in this wallet'],
    ['a malformed address', { address: 'nowhere' }, 404, 'there is no such account in this wallet'],
    ['an unknown wallet', { walletId: absentId, address }, 404, `there is no wallet ${absentId}`],
  ] as const) {
    test(claim, async () => {
      expectRefused(await query('get_wallet_account', { walletId, ...by }), status, text)
    })
  }
})
