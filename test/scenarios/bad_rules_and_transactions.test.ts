import { serializeTransaction } from 'viem'
import { afterAll, describe, expect, test } from 'vitest'
import { openDatabaseDigest } from '../support/database_digest.ts'
import {
  type Answer,
  absentId,
  expectRefused,
  newAccount,
  newMfaPolicy,
  newPolicy,
  type Parameters,
  startOrganization,
} from '../support/organization.ts'

/** Unreadable rules and transactions: each answer is 400, says where and what was expected, and changes nothing. */
const { server, submit, done, anotherUser } = await startOrganization()
const digest = openDatabaseDigest(server)
afterAll(() => digest.close())

const ada = await anotherUser('ada')
const { policyId } = await done('create_policy', newPolicy({ policyName: 'first', condition: 'wallet.imported' }))
const { mfaPolicyId } = await done('create_mfa_policy', newMfaPolicy({ userId: ada.userId }))

async function expectRefusedWithoutChange(answer: () => Promise<Answer>, ...texts: readonly string[]): Promise<void> {
  const before = digest.read()
  expectRefused(await answer(), 400, ...texts)
  expect(digest.read()).toBe(before)
}

/** Every place of a request that may hold an expression. */
const places: readonly (readonly [operation: string, fieldPath: string, given: (text: string) => Parameters])[] = [
  ['create_policy', 'parameters.condition', (condition) => newPolicy({ policyName: 'new', condition })],
  ['create_policy', 'parameters.consensus', (consensus) => newPolicy({ policyName: 'new', consensus })],
  ['create_policy', 'parameters.time', (time) => newPolicy({ policyName: 'new', time })],
  [
    'create_policies',
    'parameters.policies[1].condition',
    (condition) => ({ policies: [newPolicy({ policyName: 'right' }), newPolicy({ policyName: 'new', condition })] }),
  ],
  ['update_policy', 'parameters.policyCondition', (policyCondition) => ({ policyId, policyCondition })],
  ['update_policy', 'parameters.policyConsensus', (policyConsensus) => ({ policyId, policyConsensus })],
  ['create_mfa_policy', 'parameters.condition', (condition) => newMfaPolicy({ userId: ada.userId, condition })],
  ['update_mfa_policy', 'parameters.condition', (condition) => ({ userId: ada.userId, mfaPolicyId, condition })],
  ['create_session_profile', 'parameters.scope', (scope) => ({ sessionProfileName: 'new', scope })],
]

describe.each(places)('%s with an expression in %s that', (operation, fieldPath, given) => {
  test.each([
    ['does not parse', 'true && (', ': column 10: expected a value, found the end of the text'],
    ['has another type', "1 == '1'", ': column 6: expected an integer, found a string; write 1 without quotes'],
    ['is no boolean', '1 + 1', ': column 1: expected a boolean, found an integer'],
    ['names what there is not', 'tru', ': column 1: there is no keyword tru'],
    [
      'has parentheses 1,000 deep',
      `${'('.repeat(1000)}true${')'.repeat(1000)}`,
      ': column 52: an expression is nested',
    ],
    ['has 1,000 negations', `${'!'.repeat(1000)}true`, ': column 52: an expression is nested at most 50 deep'],
    ['has lists 1,000 deep', `${'['.repeat(1000)}${']'.repeat(1000)}`, ': column 52: an expression is nested'],
    ['has 5,001 characters', `true${' '.repeat(4997)}`, ' must be an expression of '],
    ['has 100 KB', 'true && '.repeat(12_800), ' must be an expression of '],
  ])('%s', async (_, text, reason) => {
    await expectRefusedWithoutChange(() => submit(operation, given(text)), `${fieldPath}${reason}`)
  })
})

describe('a consensus that names a user who does not exist', () => {
  const isOneOf = (...ids: readonly string[]) =>
    `approvers.any(user, user.id in [${ids.map((id) => `'${id}'`).join(', ')}])`
  test.each(places.filter(([, fieldPath]) => /consensus$/i.test(fieldPath)))(
    '%s, %s',
    async (operation, path, given) => {
      const reason = `${path}: column 73: there is no user "${absentId}" in this organization`
      await expectRefusedWithoutChange(() => submit(operation, given(isOneOf(ada.userId, absentId))), reason)
    },
  )
})

describe('a transaction', async () => {
  const ethereum = { curve: 'CURVE_SECP256K1', path: "m/44'/60'/0'/0/0", addressFormat: 'ADDRESS_FORMAT_ETHEREUM' }
  const solana = { curve: 'CURVE_ED25519', path: "m/44'/501'/0'/0'", addressFormat: 'ADDRESS_FORMAT_SOLANA' }
  const bitcoin = {
    curve: 'CURVE_SECP256K1',
    path: "m/84'/0'/0'/0/0",
    addressFormat: 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH',
  }
  const accounts = [ethereum, solana, bitcoin].map(newAccount)
  const { addresses } = await done('create_wallet', { walletName: 'hot', accounts })
  const [ethereumAddress, solanaAddress, bitcoinAddress] = addresses
  const effect = 'EFFECT_ALLOW'
  const consensus = `approvers.any(user, user.id == '${ada.userId}')`
  const condition = 'eth.tx.value <= 1'
  await done('create_policy', newPolicy({ policyName: 'small', effect, consensus, condition }))

  const whole = serializeTransaction({ type: 'eip1559', chainId: 1, to: ethereumAddress, value: 1n }).slice(2)
  const field = 'failed to parse transaction: parameters.unsignedTransaction: '
  const long = 'ab'.repeat(500_000)
  const cases: readonly (readonly [claim: string, type: string, signWith: string, hex: string, text: string])[] = [
    ['that is no hex', 'ETHEREUM', ethereumAddress, 'zz', `${field}must be an even number of hex digits`],
    ['of half a byte more', 'ETHEREUM', ethereumAddress, `${whole}0`, `${field}must be an even number of hex digits`],
    ['that is cut off', 'ETHEREUM', ethereumAddress, whole.slice(0, -2), `${field}the RLP item ends early`],
    ['with a byte more', 'ETHEREUM', ethereumAddress, `${whole}00`, `${field}bytes follow the RLP item`],
    ['of many bytes', 'ETHEREUM', ethereumAddress, `02${long}`, field],
    ['of another chain', 'SOLANA', solanaAddress, whole, field],
    ['of many bytes', 'SOLANA', solanaAddress, long, field],
    ['of another chain', 'TRON', ethereumAddress, whole, field],
    ['of many bytes', 'TRON', ethereumAddress, long, field],
    ['of another chain', 'BITCOIN', bitcoinAddress, whole, field],
    ['of many bytes', 'BITCOIN', bitcoinAddress, `70736274ff${long}`, field],
  ]

  test('that can be read is signed for both', async () => {
    const parameters = { signWith: ethereumAddress, unsignedTransaction: whole, type: 'TRANSACTION_TYPE_ETHEREUM' }
    expect((await submit('sign_transaction', parameters)).status).toBe(200)
    expect((await submit('sign_transaction', parameters, { apiKey: ada.apiKey })).status).toBe(200)
  })

  test.each(cases)('%s, %s', async (_, type, signWith, unsignedTransaction, text) => {
    const parameters = { signWith, unsignedTransaction, type: `TRANSACTION_TYPE_${type}` }
    await expectRefusedWithoutChange(() => submit('sign_transaction', parameters), text)
    await expectRefusedWithoutChange(() => submit('sign_transaction', parameters, { apiKey: ada.apiKey }), text)
  })
})
