import { PublicKey, SystemProgram, Transaction } from '@solana/web3.js'
import { address as bitcoinAddresses, networks, Psbt } from 'bitcoinjs-lib'
import { TronWeb, utils } from 'tronweb'
import { serializeTransaction } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { prepareBitcoinjs } from '../support/bitcoinjs.ts'
import { writeNextListedRecord } from '../support/later_version.ts'
import {
  expectRefused,
  newAccount,
  newMfaPolicy,
  newPolicy,
  newPrivateKey,
  startOrganization,
} from '../support/organization.ts'
import { newP256Pair } from '../support/p256_pairs.ts'
import { generateApiKey } from '../support/stamping.ts'

/** A rule holds for a thing in every spelling, in the rule and in the request. A rule about nothing is refused. */

prepareBitcoinjs()
const organization = await startOrganization()
const { server, organizationId, rootUserId, submit, found, done, anotherUser } = organization
const ada = await anotherUser('ada')
const bitcoinPath = "m/84'/0'/0'/0/0"
const bitcoinFormats = ['MAINNET', 'TESTNET', 'SIGNET', 'REGTEST'].map(
  (network) => `ADDRESS_FORMAT_BITCOIN_${network}_P2WPKH`,
)
const { walletId, addresses } = await done('create_wallet', {
  walletName: 'hot',
  accounts: [
    newAccount(),
    newAccount({ curve: 'CURVE_ED25519', path: "m/44'/501'/0'/0'", addressFormat: 'ADDRESS_FORMAT_SOLANA' }),
    newAccount({ path: "m/44'/195'/0'", addressFormat: 'ADDRESS_FORMAT_TRON' }),
    ...bitcoinFormats
      .filter((format) => !format.includes('SIGNET'))
      .map((addressFormat) => newAccount({ path: bitcoinPath, addressFormat })),
  ],
})
const [ethereum = '', solana = '', tron = '', ...bitcoin] = addresses as string[]
const [onMain = '', onTestnet = '', onRegtest = ''] = bitcoin

const friend = '0x1f9090aaE28b8a3dCeaDf281B0F12828e676c326'
const program = new PublicKey(new Uint8Array(32).fill(8))
const tronFriend = TronWeb.address.fromHex(`41${friend.slice(2)}`)

function ethereumTransfer(signWith = ethereum) {
  const unsignedTransaction = serializeTransaction({
    ...{ type: 'eip1559', chainId: 1, value: 1n },
    to: friend as `0x${string}`,
    data: '0xa9059cbb00FF' as `0x${string}`,
  })
  return { signWith, unsignedTransaction, type: 'TRANSACTION_TYPE_ETHEREUM' }
}

function solanaTransfer() {
  const payer = new PublicKey(solana)
  const instruction = SystemProgram.transfer({ fromPubkey: payer, toPubkey: program, lamports: 1 })
  const given = { feePayer: payer, blockhash: payer.toBase58(), lastValidBlockHeight: 1 }
  const unsignedTransaction = new Transaction(given)
    .add(instruction)
    .serialize({ verifySignatures: false })
    .toString('hex')
  return { signWith: solana, unsignedTransaction, type: 'TRANSACTION_TYPE_SOLANA' }
}

function tronTransfer() {
  const value = { owner_address: tron, to_address: tronFriend, amount: 5 }
  const raw_data = {
    contract: [{ type: 'TransferContract', parameter: { value, type_url: '' } }],
    ...{ ref_block_bytes: '0102', ref_block_hash: '0102030405060708', expiration: 2, timestamp: 1 },
  }
  const message = utils.transaction.txJsonToPb({ visible: false, txID: '', raw_data_hex: '', raw_data } as never)
  const unsignedTransaction = utils.transaction.txPbToRawDataHex(message).toLowerCase()
  return { signWith: tron, unsignedTransaction, type: 'TRANSACTION_TYPE_TRON' }
}

const paid = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
const paidScript = bitcoinAddresses.toOutputScript(paid, networks.bitcoin)
const paidOn = (network: typeof networks.bitcoin) => bitcoinAddresses.fromOutputScript(paidScript, network)

function bitcoinTransfer(signWith = onMain) {
  const psbt = new Psbt()
  const witnessUtxo = { script: bitcoinAddresses.toOutputScript(onMain), value: 1_000n }
  psbt
    .addInput({ hash: new Uint8Array(32).fill(7), index: 0, witnessUtxo })
    .addOutput({ script: paidScript, value: 900n })
  return { signWith, unsignedTransaction: psbt.toHex(), type: 'TRANSACTION_TYPE_BITCOIN' }
}

beforeAll(async () => {
  await done('create_policy', newPolicy({ policyName: 'allows', effect: 'EFFECT_ALLOW', condition: 'true' }))
})

const sign = (parameters: object) => submit('sign_transaction', { ...parameters }, { apiKey: ada.apiKey })

/** Asks while a denial with this condition exists. */
async function whileDenied(condition: string, ask: () => Promise<void>): Promise<void> {
  const { policyId } = await done('create_policy', newPolicy({ condition }))
  await ask()
  await done('delete_policy', { policyId })
}

const output = (test: string) => `bitcoin.tx.outputs.any(o, ${test})`
const contract = (test: string) => `tron.tx.contract.any(c, ${test})`
const solanaFriend = program.toBase58()
const solanaHex = Buffer.from(program.toBytes()).toString('hex')

const denials: readonly (readonly [name: string, transaction: () => object, conditions: readonly string[]])[] = [
  [
    'Ethereum',
    ethereumTransfer,
    [
      ...[friend, friend.toLowerCase(), friend.slice(2), `0X${friend.slice(2)}`].map((to) => `eth.tx.to == '${to}'`),
      `!(eth.tx.to != '${friend.slice(2)}')`,
      `['${friend.slice(2)}'].any(to, to == eth.tx.to)`,
      `eth.tx.data[0..10] == '0XA9059CBB'`,
      `eth.tx.data[2..10] == 'A9059CBB'`,
      `eth.tx.data == 'A9059CBB00FF'`,
    ],
  ],
  [
    'Bitcoin',
    bitcoinTransfer,
    [
      ...[paid, paid.toUpperCase(), paidOn(networks.testnet), paidOn(networks.regtest)].flatMap((text) => [
        output(`o.address == '${text}'`),
        output(`['${text}'].contains(o.address)`),
      ]),
      output(`o.script_pubkey == '0x${Buffer.from(paidScript).toString('hex').toUpperCase()}'`),
      output(`o.address_type == 'P2WPKH'`),
      output(`o.address[0..4] == 'BC1Q'`),
      ...[onMain, onTestnet, onRegtest, onTestnet.toUpperCase()].map((text) => `wallet_account.address == '${text}'`),
    ],
  ],
  [
    'Tron',
    tronTransfer,
    [tronFriend, `41${friend.slice(2)}`, `0x41${friend.slice(2).toUpperCase()}`].map((text) =>
      contract(`c.to_address == '${text}'`),
    ),
  ],
  [
    'Solana',
    solanaTransfer,
    [solanaFriend, solanaHex, solanaHex.toUpperCase()].map((text) => `solana.tx.transfers.any(t, t.to == '${text}')`),
  ],
]

describe.each(denials)('a denial of a transaction of %s holds', (_, transaction, conditions) => {
  test('which is signed without it', async () => {
    expect((await sign(transaction())).status).toBe(200)
  })

  test.each(conditions)('by %s', async (condition) => {
    await whileDenied(condition, async () => expectRefused(await sign(transaction()), 403, 'denied this action'))
  })
})

test('an MFA policy asks for its step, and a scope binds its session, in any spelling', async () => {
  const condition = `eth.tx.to == '${friend.slice(2)}'`
  const ofAda = { userId: ada.userId }
  const { mfaPolicyId } = await done('create_mfa_policy', { ...ofAda, ...newMfaPolicy({ condition }) })
  const statusOf = async (transaction: object) => (await sign(transaction)).body.activity.status
  expect(await statusOf(ethereumTransfer())).toBe('ACTIVITY_STATUS_AUTHENTICATORS_NEEDED')
  expect(await statusOf(solanaTransfer())).toBe('ACTIVITY_STATUS_COMPLETED')
  await done('delete_mfa_policy', { ...ofAda, mfaPolicyId })

  const profile = { sessionProfileName: 'no friend', scope: `!(${condition})` }
  const { sessionProfileId } = await done('create_session_profile', profile)
  const session = generateApiKey()
  await done('stamp_login', { publicKey: session.publicKey, sessionProfileId }, { apiKey: ada.apiKey })
  const answer = await submit('sign_transaction', ethereumTransfer(), { apiKey: session })
  expectRefused(answer, 403, 'the scope of this session')
})

describe('a denial does not depend on what the request chooses', () => {
  test.each([
    [output(`o.address == '${paid}'`)],
    [output(`o.address == '${paidOn(networks.testnet)}'`)],
    [output(`o.address[0..4] == 'bc1q'`)],
    [`wallet_account.address == '${onMain}'`],
    [`wallet_account.address == '${onRegtest}'`],
    [`wallet_account.address[0..3] == 'bc1'`],
  ])('such as the network of the address that it signs with: %s', async (condition) => {
    for (const signWith of [onMain, onTestnet, onRegtest, onTestnet.toUpperCase()]) {
      expect((await sign(bitcoinTransfer(signWith))).status).toBe(200)
    }
    await whileDenied(condition, async () => {
      for (const signWith of [onMain, onTestnet, onRegtest, onTestnet.toUpperCase()]) {
        expectRefused(await sign(bitcoinTransfer(signWith)), 403, 'denied this action')
      }
    })
  })

  test('such as the format of the address of a key, by its public key', async () => {
    const accounts = [newAccount({ addressFormat: 'ADDRESS_FORMAT_UNCOMPRESSED' })]
    const { addresses: others } = await done('create_wallet_accounts', { walletId, accounts })
    const { account } = await found('get_wallet_account', { walletId, address: ethereum })
    const condition = `wallet_account.public_key == '${account.publicKey.toUpperCase()}'`
    await whileDenied(condition, async () => {
      for (const signWith of [ethereum, ...others]) {
        expectRefused(await sign(ethereumTransfer(signWith)), 403, 'denied this action')
      }
    })
  })

  test('such as the format of the address of a key, by any of its addresses', async () => {
    const formats = ['ADDRESS_FORMAT_COMPRESSED', 'ADDRESS_FORMAT_UNCOMPRESSED', 'ADDRESS_FORMAT_ETHEREUM']
    const accounts = formats.map((addressFormat) => newAccount({ path: bitcoinPath, addressFormat }))
    const { addresses: others } = await done('create_wallet_accounts', { walletId, accounts })
    const named = [onMain, ...(others as string[])]
    const payload = { payload: 'ab'.repeat(32), encoding: 'PAYLOAD_ENCODING_HEXADECIMAL' }
    const parametersOf = (signWith: string) => ({ ...payload, signWith, hashFunction: 'HASH_FUNCTION_NO_OP' })
    const signRaw = (signWith: string, apiKey = ada.apiKey) =>
      submit('sign_raw_payload', parametersOf(signWith), { apiKey })
    const isCovered = (written: string) => `wallet_account.address == '${written}'`
    for (const written of named) {
      await whileDenied(isCovered(written), async () => {
        for (const signWith of named) expectRefused(await signRaw(signWith), 403, 'denied this action')
        expect((await signRaw(ethereum)).status).toBe(200)
      })
      await whileDenied(`wallet_account.address != '${written}'`, async () => {
        for (const signWith of named) expect((await signRaw(signWith)).status).toBe(signWith === written ? 200 : 403)
      })
    }

    const ofAda = { userId: ada.userId }
    const mfaPolicy = newMfaPolicy({ condition: isCovered(onMain) })
    const { mfaPolicyId } = await done('create_mfa_policy', { ...ofAda, ...mfaPolicy })
    for (const signWith of named)
      expect((await signRaw(signWith)).body.activity.status).toBe('ACTIVITY_STATUS_AUTHENTICATORS_NEEDED')
    await done('delete_mfa_policy', { ...ofAda, mfaPolicyId })

    const profile = { sessionProfileName: 'no treasury', scope: `!(${isCovered(onMain)})` }
    const { sessionProfileId } = await done('create_session_profile', profile)
    const session = generateApiKey()
    await done('stamp_login', { publicKey: session.publicKey, sessionProfileId }, { apiKey: ada.apiKey })
    for (const signWith of named) expectRefused(await signRaw(signWith, session), 403, 'the scope of this session')
    expect((await signRaw(ethereum, session)).status).toBe(200)
  })

  test('such as the version of the type of activity', async () => {
    const types = ['ACTIVITY_TYPE_SIGN_TRANSACTION', 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2']
    for (const written of types) {
      await whileDenied(`activity.type == '${written}'`, async () => {
        for (const type of types) {
          const answer = await submit('sign_transaction', ethereumTransfer(), { apiKey: ada.apiKey, type })
          expectRefused(answer, 403, 'denied this action')
        }
      })
    }
  })

  test('such as the encoding of the key to which something is exported', async () => {
    const { compressed, uncompressed } = newP256Pair()
    const { privateKeys } = await done('create_private_keys', { privateKeys: [newPrivateKey()] })
    const [{ privateKeyId }] = privateKeys
    for (const written of [compressed, uncompressed, uncompressed.toUpperCase()]) {
      await whileDenied(`activity.params.target_public_key == '${written}'`, async () => {
        for (const targetPublicKey of [compressed, uncompressed, uncompressed.toUpperCase()]) {
          const parameters = { privateKeyId, targetPublicKey }
          expectRefused(
            await submit('export_private_key', parameters, { apiKey: ada.apiKey }),
            403,
            'denied this action',
          )
        }
      })
    }
  })
})

const impossible = [
  [`eth.tx.to == '${friend.slice(0, -1)}'`, 14],
  [`eth.tx.to in ['${friend}', ' ${friend}']`, 61],
  [`eth.tx.data[0..10] == '0xa9059cbb00'`, 23],
  [output(`o.address == '${paid.slice(0, -1)}5'`), 40],
  [output(`o.address_type == 'p2wpkh'`), 45],
  [contract(`c.type == 'TransferContrat'`), 35],
  [`solana.tx.account_keys.contains('${solanaFriend.slice(0, -1)}0')`, 33],
  [`wallet.id != 'hot'`, 14],
] as const

describe('a text that its field never holds', () => {
  test.each(impossible)(
    'is refused with its column where rules are made and changed: %s',
    async (condition, column) => {
      const at = (path: string) => [400, `${path}: column ${column}: `] as const
      expectRefused(await submit('create_policy', newPolicy({ condition })), ...at('parameters.condition'))
      const policies = [newPolicy({ policyName: 'one' }), newPolicy({ policyName: 'two', condition })]
      expectRefused(await submit('create_policies', { policies }), ...at('parameters.policies[1].condition'))
      const { policyId } = await done(
        'create_policy',
        newPolicy({ policyName: 'changed', condition: 'wallet.imported' }),
      )
      const changed = { policyId, policyCondition: condition }
      expectRefused(await submit('update_policy', changed), ...at('parameters.policyCondition'))
      await done('delete_policy', { policyId })

      const ofUser = { userId: rootUserId }
      const created = { ...ofUser, ...newMfaPolicy({ condition }) }
      expectRefused(await submit('create_mfa_policy', created), ...at('parameters.condition'))
      const { mfaPolicyId } = await done('create_mfa_policy', { ...ofUser, ...newMfaPolicy() })
      expectRefused(
        await submit('update_mfa_policy', { ...ofUser, mfaPolicyId, condition }),
        ...at('parameters.condition'),
      )
      await done('delete_mfa_policy', { ...ofUser, mfaPolicyId })

      const profile = { sessionProfileName: 'profile', scope: condition }
      expectRefused(await submit('create_session_profile', profile), ...at('parameters.scope'))
    },
  )

  test('is refused in a consensus, and in the selectors of older types', async () => {
    const consensus = "approvers.any(user, user.tags.contains('treasury'))"
    expectRefused(await submit('create_policy', newPolicy({ consensus })), 400, 'parameters.consensus: column 40: ')
    const selectors = [{ subject: 'wallet.id', operator: 'OPERATOR_EQUAL', targets: ['hot'] }]
    const older = { policyName: 'older', effect: 'EFFECT_DENY', selectors }
    const answer = await submit('create_policy', older, { type: 'ACTIVITY_TYPE_CREATE_POLICY_V2' })
    expectRefused(answer, 400, 'parameters.selectors[0]: column 14: ')
  })

  test('may stand in a rule that is kept: it still compiles, stops nobody, and check_policies names it', async () => {
    const [[condition, column]] = impossible
    const reason = `eth.tx.to is never '${friend.slice(0, -1)}'; it holds an Ethereum address`
    const { policyId: id } = await done(
      'create_policy',
      newPolicy({ policyName: 'kept', condition: 'wallet.imported' }),
    )
    const ofUser = { userId: rootUserId }
    const { mfaPolicyId } = await done('create_mfa_policy', { ...ofUser, ...newMfaPolicy({ mfaPolicyName: 'kept' }) })
    const profile = { sessionProfileName: 'kept', scope: 'true' }
    const { sessionProfileId } = await done('create_session_profile', profile)
    expect((await found('check_policies')).neverEqual).toEqual([])

    await writeNextListedRecord(server, { organizationId, kind: 'policy', recordId: id }, (policy) => ({
      ...policy,
      condition,
    }))
    await writeNextListedRecord(server, { organizationId, kind: 'user', recordId: rootUserId }, (user) => ({
      ...user,
      mfaPolicies: (user.mfaPolicies ?? []).map((policy) => ({ ...policy, condition })),
    }))
    const place = { organizationId, kind: 'session_profile', recordId: sessionProfileId } as const
    await writeNextListedRecord(server, place, (record) => ({ ...record, scope: condition }))

    const named = (of: string, recordId: string, expression = 'condition') => ({
      ...{ of, id: recordId, name: 'kept', expression, column, reason },
    })
    expect((await found('check_policies')).neverEqual).toEqual([
      named('policy', id),
      named('mfa_policy', mfaPolicyId),
      named('session_profile', sessionProfileId, 'scope'),
    ])
    expect((await sign(ethereumTransfer())).status).toBe(200)
    await done('update_policy', { policyId: id, policyNotes: 'known' })
    expectRefused(await submit('update_policy', { policyId: id, policyCondition: condition }), 400, `column ${column}`)
  })
})
