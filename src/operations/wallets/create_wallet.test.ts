import { describe, expect, test } from 'vitest'
import { expectRefused, newAccount, repeated, startOrganization, uuid } from '../../../test/support/organization.ts'

const { submit, done, found, anotherUser } = await startOrganization({ limits: { walletsMax: 12 } })

test('a wallet is created with its accounts, and the addresses are in the given order', async () => {
  const accounts = [
    newAccount({ name: 'first' }),
    newAccount({ path: "m/44'/60'/0'/0/1" }),
    newAccount({ addressFormat: 'ADDRESS_FORMAT_COMPRESSED' }),
    newAccount({ curve: 'CURVE_ED25519', path: "m/44'/501'/0'/0'", addressFormat: 'ADDRESS_FORMAT_SOLANA' }),
  ]
  const result = await done('create_wallet', { walletName: 'with accounts', accounts })
  expect(result).toStrictEqual({
    walletId: uuid,
    addresses: [
      expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
      expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
      expect.stringMatching(/^0[23][0-9a-f]{64}$/),
      expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/),
    ],
  })
  const listed = await found('list_wallet_accounts', { walletId: result.walletId })
  expect(listed.accounts.map(({ address }: { address: string }) => address)).toEqual(result.addresses)
})

for (const mnemonicLength of [12, 15, 18, 21, 24]) {
  test(`a wallet may have a mnemonic of ${mnemonicLength} words`, async () => {
    const result = await done('create_wallet', { walletName: `of ${mnemonicLength}`, accounts: [], mnemonicLength })
    expect(result).toStrictEqual({ walletId: uuid, addresses: [] })
  })
}

describe('invalid wallets are refused', () => {
  const wallet = { walletName: 'wallet', accounts: [newAccount()] }
  const accounts = (...given: readonly object[]) => ({ accounts: given.map((one) => newAccount({ ...one })) })
  for (const [claim, change, status, text] of [
    ['a name that is empty', { walletName: '' }, 400, 'parameters.walletName must be a text of 1 to 256'],
    [
      'a mnemonic of 13 words',
      { mnemonicLength: 13 },
      400,
      'parameters.mnemonicLength must be one of 12, 15, 18, 21, 24',
    ],
    ['1001 accounts', { accounts: repeated(1001, () => newAccount()) }, 400, 'accounts must be a list of at most 1000'],
    [
      'an unknown curve',
      accounts({ curve: 'CURVE_BRAINPOOL' }),
      400,
      'parameters.accounts[0].curve must be one of CURVE_',
    ],
    [
      'an unknown format',
      accounts({ addressFormat: 'X' }),
      400,
      'accounts[0].addressFormat must be one of ADDRESS_FORMAT_',
    ],
    [
      'a format of Ed25519 on secp256k1',
      accounts({ addressFormat: 'ADDRESS_FORMAT_SUI' }),
      400,
      'invalid address format: ADDRESS_FORMAT_SUI is for CURVE_ED25519',
    ],
    [
      'a format of another curve',
      accounts({}, { curve: 'CURVE_P256' }),
      400,
      'parameters.accounts[1].addressFormat must be a format for CURVE_P256: invalid address format',
    ],
    ['no path', accounts({ path: '' }), 400, 'parameters.accounts[0].path must be a derivation path such as'],
    ['a path without m', accounts({ path: "44'/60'" }), 400, 'parameters.accounts[0].path'],
    ['a step of 2^31', accounts({ path: 'm/2147483648' }), 400, 'invalid path'],
    ['eleven steps', accounts({ path: `m${'/0'.repeat(11)}` }), 400, 'invalid path'],
    ['a path of 257 characters', accounts({ path: `m/${'0'.repeat(255)}` }), 400, 'parameters.accounts[0].path'],
    [
      'an unhardened step on Ed25519',
      accounts({ curve: 'CURVE_ED25519', addressFormat: 'ADDRESS_FORMAT_SOLANA', path: "m/44'/501'/0" }),
      400,
      'parameters.accounts[0].path must be hardened in every step',
    ],
    ['a path twice', accounts({}, {}), 409, 'path already exists in wallet account: parameters.accounts[1].path'],
    [
      'a name twice',
      accounts({ name: 'n' }, { name: 'n', path: 'm/1' }),
      400,
      'already in use: parameters.accounts[1].name must be used once',
    ],
  ] as const) {
    test(claim, async () => {
      expectRefused(await submit('create_wallet', { ...wallet, ...change }), status, text)
    })
  }
})

test('names of wallets and of accounts are used once in an organization', async () => {
  await done('create_wallet', { walletName: 'taken', accounts: [newAccount({ name: 'taken account' })] })
  const again = await submit('create_wallet', { walletName: 'taken', accounts: [] })
  expectRefused(again, 400, 'already in use: parameters.walletName must be one that nothing else')
  const account = newAccount({ name: 'taken account' })
  const answer = await submit('create_wallet', { walletName: 'free', accounts: [newAccount({ path: 'm' }), account] })
  expectRefused(answer, 400, 'already in use: parameters.accounts[1].name must be one that nothing else')
})

test('a user outside of the root quorum may not create a wallet', async () => {
  const { apiKey } = await anotherUser()
  expectRefused(await submit('create_wallet', { walletName: 'mine', accounts: [] }, { apiKey }), 403)
})

test('a thousand accounts at once are accepted', async () => {
  const accounts = repeated(1000, (index) => newAccount({ path: `m/44'/60'/0'/0/${index}` }))
  const { addresses } = await done('create_wallet', { walletName: 'large', accounts })
  expect(new Set(addresses).size).toBe(1000)
})

test('an organization has at most as many wallets as its limit', async () => {
  const { wallets } = await found('list_wallets')
  for (let count = wallets.length; count < 12; count += 1) {
    await done('create_wallet', { walletName: `number ${count}`, accounts: [] })
  }
  const answer = await submit('create_wallet', { walletName: 'one more', accounts: [] })
  expectRefused(answer, 429, 'resource limit reached: an organization has at most 12 wallets')
})
