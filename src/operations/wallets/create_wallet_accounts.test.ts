import { describe, expect, test } from 'vitest'
import { absentId, expectRefused, newAccount, repeated, startOrganization } from '../../../test/support/organization.ts'
import { addressFormats } from '../../protocol/chains/address_formats.ts'
import { lookupRowsMax } from '../../protocol/reads.ts'

const { submit, done, found, anotherUser } = await startOrganization()
const { walletId } = await done('create_wallet', { walletName: 'wallet', accounts: [newAccount({ name: 'taken' })] })

test('accounts are derived and answered in the given order', async () => {
  const accounts = [newAccount({ path: 'm/1', name: 'one' }), newAccount({ path: 'm/2' })]
  const result = await done('create_wallet_accounts', { walletId: walletId.toUpperCase(), accounts })
  expect(result).toStrictEqual({ addresses: repeated(2, () => expect.stringMatching(/^0x[0-9a-fA-F]{40}$/)) })
  const listed = await found('list_wallet_accounts', { walletId })
  expect(listed.accounts.slice(-2)).toMatchObject([
    { path: 'm/1', name: 'one', address: result.addresses[0] },
    { path: 'm/2', address: result.addresses[1] },
  ])
})

test('a wallet always derives the same address for the same path', async () => {
  const [existing] = (await found('list_wallet_accounts', { walletId })).accounts
  const result = await done('create_wallet_accounts', { walletId, accounts: [newAccount()], persist: false })
  expect(result).toStrictEqual({ addresses: [existing.address] })
})

test('`persist: false` stores nothing, so a name that is taken does no harm', async () => {
  const before = (await found('list_wallet_accounts', { walletId })).accounts.length
  const accounts = [newAccount({ path: 'm/77', name: 'taken' })]
  const { addresses } = await done('create_wallet_accounts', { walletId, accounts, persist: false })
  expect((await found('list_wallet_accounts', { walletId })).accounts).toHaveLength(before)
  expect(
    await done('create_wallet_accounts', { walletId, accounts: [newAccount({ path: 'm/77' })], persist: true }),
  ).toEqual({
    addresses,
  })
})

test('a path may be used once for each format', async () => {
  const taken = await submit('create_wallet_accounts', {
    walletId,
    accounts: [newAccount({ path: 'm/5' }), newAccount()],
  })
  expectRefused(taken, 409, 'path already exists in wallet account: parameters.accounts[1].path')
  const accounts = [newAccount({ addressFormat: 'ADDRESS_FORMAT_TRON' })]
  expect((await done('create_wallet_accounts', { walletId, accounts })).addresses).toEqual([
    expect.stringMatching(/^T[1-9A-HJ-NP-Za-km-z]{33}$/),
  ])
})

test('a path and a format may be used once on each curve, and each account signs by its own key', async () => {
  const compressed = newAccount({ path: "m/9'", addressFormat: 'ADDRESS_FORMAT_COMPRESSED' })
  const onP256 = { ...compressed, curve: 'CURVE_P256' }
  const onEd25519 = { ...compressed, curve: 'CURVE_ED25519' }
  const { addresses } = await done('create_wallet_accounts', { walletId, accounts: [compressed, onP256] })
  const more = await done('create_wallet_accounts', { walletId, accounts: [onEd25519] })
  expect(new Set([...addresses, ...more.addresses]).size).toBe(3)
  const signing = { payload: 'text', encoding: 'PAYLOAD_ENCODING_TEXT_UTF8' }
  for (const [signWith, hashFunction] of [
    [addresses[0], 'HASH_FUNCTION_SHA256'],
    [addresses[1], 'HASH_FUNCTION_SHA256'],
    [more.addresses[0], 'HASH_FUNCTION_NOT_APPLICABLE'],
  ]) {
    await done('sign_raw_payload', { ...signing, signWith, hashFunction })
  }
  for (const accounts of [[onP256], [newAccount({ path: "m/9'/1" }), newAccount({ path: "m/9'/1" })]]) {
    const taken = await submit('create_wallet_accounts', { walletId, accounts })
    expectRefused(taken, 409, 'path already exists in wallet account', 'format and curve')
  }
})

test('a lookup by path shows all accounts that one path may have', () => {
  const places = Object.values(addressFormats).reduce((sum, { curves }) => sum + curves.length, 0)
  expect(places).toBeLessThanOrEqual(lookupRowsMax)
})

describe('invalid accounts are refused', () => {
  for (const [claim, change, status, text] of [
    ['none', { accounts: [] }, 400, 'parameters.accounts must be a list of 1 to 1000'],
    ['1001', { accounts: repeated(1001, () => newAccount()) }, 400, 'parameters.accounts must be a list of 1 to 1000'],
    ['of an unknown wallet', { walletId: absentId }, 404, `there is no wallet ${absentId} in this organization`],
    [
      'with a name of another account',
      { accounts: [newAccount({ path: 'm/9', name: 'taken' })] },
      400,
      'already in use: parameters.accounts[0].name',
    ],
    [
      'of a format for another curve',
      { accounts: [newAccount({ curve: 'CURVE_P256' })] },
      400,
      'invalid address format',
    ],
  ] as const) {
    test(claim, async () => {
      const answer = await submit('create_wallet_accounts', {
        walletId,
        accounts: [newAccount({ path: 'm/8' })],
        ...change,
      })
      expectRefused(answer, status, text)
    })
  }
})

test('a user outside of the root quorum may not derive accounts, not even unstored ones', async () => {
  const { apiKey } = await anotherUser()
  const parameters = { walletId, accounts: [newAccount({ path: 'm/6' })], persist: false }
  expectRefused(await submit('create_wallet_accounts', parameters, { apiKey }), 403)
})

test('a thousand accounts at once are accepted', async () => {
  const accounts = repeated(1000, (index) => newAccount({ path: `m/0/${index}` }))
  expect((await done('create_wallet_accounts', { walletId, accounts })).addresses).toHaveLength(1000)
})
