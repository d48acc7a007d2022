import { createHash } from 'node:crypto'
import { bytesToHex } from '@noble/hashes/utils.js'
import {
  type AccountMeta,
  AddressLookupTableAccount,
  Keypair,
  type MessageV0,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js'
import { decodeFunctionData, encodeFunctionData, erc20Abi, parseAbi, serializeTransaction } from 'viem'
import { describe, expect, test } from 'vitest'
import { keccak256 } from '../../src/protocol/crypto/keccak.ts'
import {
  type Answer,
  type Ask,
  expectRefused,
  newAccount,
  newMfaPolicy,
  newPolicy,
  type Parameters,
  repeated,
  startOrganization,
} from '../support/organization.ts'
import { newP256Pair } from '../support/p256_pairs.ts'

/** Denials and MFA policies hold whatever values the user who asks puts into a request. */

const token = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const treasury = parseAbi([
  'function approve(address spender, uint256 amount)',
  'function adjust(int256 delta)',
  'function pay(address[] recipients)',
])
const addressOf = (index: number) => `0x${index.toString(16).padStart(40, '0')}` as const

async function start() {
  const organization = await startOrganization()
  const { submit, done, anotherUser } = organization
  const ada = await anotherUser('ada')
  const accounts = [
    newAccount(),
    newAccount({ curve: 'CURVE_ED25519', path: "m/44'/501'/0'/0'", addressFormat: 'ADDRESS_FORMAT_SOLANA' }),
  ]
  const { addresses } = await done('create_wallet', { walletName: 'hot', accounts })
  const [ethereum = '', solana = ''] = addresses as readonly string[]
  await done('create_smart_contract_interface', {
    smartContractAddress: token,
    smartContractInterface: JSON.stringify(treasury),
    type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM',
    label: 'treasury',
    notes: '',
  })
  const consensus = `approvers.any(user, user.id == '${ada.userId}')`
  const allow = { effect: 'EFFECT_ALLOW', policyName: 'allow', consensus, condition: "activity.action == 'SIGN'" }
  await done('create_policy', newPolicy(allow))

  const sendMessage = (message: MessageV0) => {
    const unsignedTransaction = Buffer.from(new VersionedTransaction(message).serialize()).toString('hex')
    return sign('SOLANA', { signWith: solana, unsignedTransaction })
  }
  const sign = (type: string, parameters: Parameters, ask: Ask = ada) =>
    submit('sign_transaction', { type: `TRANSACTION_TYPE_${type}`, ...parameters }, ask)
  return {
    ...organization,
    ada,
    ethereum,
    sign,
    solana: new PublicKey(solana),
    deny: (condition: string, more: Parameters = {}) =>
      done('create_policy', newPolicy({ policyName: 'denial', condition, ...more })),
    call(data: `0x${string}`, ask?: Ask) {
      const unsignedTransaction = serializeTransaction({ type: 'eip1559', chainId: 1, gas: 65_000n, to: token, data })
      return sign('ETHEREUM', { signWith: ethereum, unsignedTransaction }, ask)
    },
    send(instructions: readonly TransactionInstruction[]) {
      const payerKey = new PublicKey(solana)
      const message = new TransactionMessage({
        payerKey,
        recentBlockhash: addressOfBlock,
        instructions: [...instructions],
      })
      return sendMessage(message.compileToV0Message())
    },
    sendMessage,
  }
}

const addressOfBlock = PublicKey.default.toBase58()
const denied = 'denied this action'
const program = Keypair.generate().publicKey

describe('a denial with a sum', () => {
  test('denies the largest amounts, also of several terms', async () => {
    const { deny, call } = await start()
    await deny("eth.tx.contract_call_args['amount'] + eth.tx.gas > 100000")
    const approve = (amount: bigint) =>
      call(encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [addressOf(1), amount] }))
    expect((await approve(5n)).status).toBe(200)
    expectRefused(await approve(100_000n), 403, denied)
    expectRefused(await approve(2n ** 256n - 1n), 403, denied)
    expectRefused(await approve(2n ** 256n - 65_000n), 403, denied)
  })

  test('denies the smallest amounts', async () => {
    const { deny, call } = await start()
    await deny("eth.tx.contract_call_args['delta'] + 5 < 0")
    const adjust = (delta: bigint) => call(encodeFunctionData({ abi: treasury, functionName: 'adjust', args: [delta] }))
    expect((await adjust(-5n)).status).toBe(200)
    for (const delta of [-6n, -(2n ** 127n), -(2n ** 127n) - 1n, -(2n ** 255n)]) {
      expectRefused(await adjust(delta), 403, denied)
    }
  })

  test('denies when the sum of a limit is at the top', async () => {
    const { deny, call, done } = await start()
    await done('create_policy', newPolicy({ policyName: 'none', condition: "eth.tx.to == '0x'" }))
    await deny("spent('eth.tx.value', '24h') + eth.tx.contract_call_args['amount'] >= 5")
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [addressOf(1), 2n ** 256n - 1n] })
    expectRefused(await call(data), 403, denied)
  })
})

const blocked = repeated(95, (index) => addressOf(index + 1))
const isBlocked = `eth.tx.contract_call_args['recipients'].any(one, one in [${blocked.map((one) => `'${one}'`).join(', ')}])`
const pay = (count: number, last: `0x${string}`) =>
  encodeFunctionData({
    abi: treasury,
    functionName: 'pay',
    args: [[...repeated(count, (index) => addressOf(1_000 + index)), last]],
  })

describe('a request with more than can be compared', () => {
  test('is denied', async () => {
    const { deny, call } = await start()
    const { policyId } = await deny(isBlocked)
    expect((await call(pay(500, addressOf(500)))).status).toBe(200)
    expectRefused(await call(pay(500, addressOf(7))), 403, denied)
    const refused = await call(pay(1_200, addressOf(7)))
    expectRefused(refused, 403, denied, policyId)
    expect(JSON.stringify(refused.body.details)).toContain('takes more than 100000 steps')
  })

  test('is not denied by a denial for another user', async () => {
    const { deny, call, rootUserId } = await start()
    await deny(isBlocked, { consensus: `approvers.any(user, user.id == '${rootUserId}')` })
    expect((await call(pay(1_200, addressOf(7)))).status).toBe(200)
  })

  test('asks for the step of an MFA policy', async () => {
    const { call, done, ada } = await start()
    await done('create_mfa_policy', { userId: ada.userId, ...newMfaPolicy({ condition: isBlocked }) })
    const statusOf = async (data: `0x${string}`) => (await call(data)).body.activity.status
    expect(await statusOf(pay(500, addressOf(500)))).toBe('ACTIVITY_STATUS_COMPLETED')
    expect(await statusOf(pay(500, addressOf(7)))).toBe('ACTIVITY_STATUS_AUTHENTICATORS_NEEDED')
    expect(await statusOf(pay(1_200, addressOf(7)))).toBe('ACTIVITY_STATUS_AUTHENTICATORS_NEEDED')
  })
})

describe('data that is shorter than a slice', () => {
  test('does not pass what the denial says besides', async () => {
    const { deny, call } = await start()
    await deny(`eth.tx.data[0..10] == '0x095ea7b3' || eth.tx.to == '${token}'`)
    for (const data of ['0x', '0x12', '0x095ea7', '0x095ea7b3'] as const) expectRefused(await call(data), 403, denied)
  })

  test('is not the text that alone is not denied', async () => {
    const { deny, call } = await start()
    await deny("eth.tx.data[0..10] != '0x095ea7b3'")
    expect((await call('0x095ea7b3')).status).toBe(200)
    for (const data of ['0x', '0x12', '0x095ea7'] as const) expectRefused(await call(data), 403, denied)
  })

  test('is not the text that alone is denied', async () => {
    const { deny, call } = await start()
    await deny("eth.tx.data[0..10] == '0x095ea7b3'")
    for (const data of ['0x', '0x12', '0x095ea7'] as const) expect((await call(data)).status).toBe(200)
  })

  test('is no permission', async () => {
    const { call, done, found } = await start()
    const [{ policyId }] = (await found('list_policies')).policies
    const policyCondition = `eth.tx.data[0..10] == '0x095ea7b3' || eth.tx.to == '${token}'`
    await done('update_policy', { policyId, policyCondition })
    expect((await call('0x12345678')).status).toBe(200)
    expectRefused(await call('0x12'), 403, 'No policies evaluated to outcome: Allow')
  })
})

describe('a list with fewer items than the rule looks at', () => {
  const recipients = "eth.tx.contract_call_args['recipients']"
  test.each([
    `'${addressOf(7)}' in [${recipients}[0], ${recipients}[1], ${recipients}[2]]`,
    `[${recipients}[0], ${recipients}[1], ${recipients}[2]].contains('${addressOf(7)}')`,
    `[${recipients}[2], ${recipients}[1]].any(one, one == '${addressOf(7)}')`,
    `${recipients}[0..3].contains('${addressOf(7)}')`,
    `${recipients}[0..3].any(one, one == '${addressOf(7)}')`,
    `'${addressOf(7)}' in [${recipients}[1], eth.tx.contract_call_args['recipients']]`,
  ])('does not pass the denial of one that is there: %s', async (condition) => {
    const { deny, call } = await start()
    expect((await deny(condition)).policyId).toEqual(expect.any(String))
    expect((await call(pay(1, addressOf(500)))).status).toBe(200)
    expectRefused(await call(pay(1, addressOf(7))), 403, denied)
  })
})

/** The list begins a word later than usual, which contracts accept. */
const withGap = (data: `0x${string}`) => `${data.slice(0, 72)}40${'00'.repeat(32)}${data.slice(74)}` as `0x${string}`

describe('arguments in another encoding than the usual one', () => {
  const isUsual = "eth.tx.contract_call_args['recipients'].count() > 5"

  test('do not pass a denial by them', async () => {
    const { deny, call } = await start()
    expect(decodeFunctionData({ abi: treasury, data: withGap(pay(1, addressOf(7))) }).args).toEqual([
      [addressOf(1_000), addressOf(7)],
    ])
    const { policyId } = await deny(isBlocked)
    expect((await call(pay(1, addressOf(500)))).status).toBe(200)
    expectRefused(await call(pay(1, addressOf(7))), 403, denied)
    const refused = await call(withGap(pay(1, addressOf(7))))
    expectRefused(refused, 403, denied, policyId)
    expect(JSON.stringify(refused.body.details)).toContain('cannot be told from the request: eth.tx.contract_call_args')
    // More than are read.
    expectRefused(await call(pay(5_100, addressOf(7))), 403, denied)
    // A call that no interface declares is another request, and so is a transfer.
    for (const data of ['0x', '0x12345678'] as const) expect((await call(data)).status).toBe(200)
  })

  test('are denied only where the rest of the denial is not false', async () => {
    const { deny, call } = await start()
    await deny(`eth.tx.to == '${addressOf(1)}' && ${isUsual}`)
    await deny(`!(eth.tx.to == '${token}' || ${isUsual})`, { policyName: 'second' })
    await deny(`private_key.id == '00000000-0000-4000-8000-000000000000' && ${isUsual}`, { policyName: 'third' })
    expect((await call(withGap(pay(1, addressOf(7))))).status).toBe(200)
    await deny(`eth.tx.to == '${token}' && ${isUsual}`, { policyName: 'fourth' })
    expectRefused(await call(withGap(pay(1, addressOf(7)))), 403, denied)
  })

  test('are no permission', async () => {
    const { call, done, found } = await start()
    const [{ policyId }] = (await found('list_policies')).policies
    await done('update_policy', { policyId, policyCondition: `!(${isUsual})` })
    expect((await call(pay(1, addressOf(7)))).status).toBe(200)
    expectRefused(await call(withGap(pay(1, addressOf(7)))), 403, 'No policies evaluated to outcome: Allow')
  })

  test('ask for the step of an MFA policy', async () => {
    const { call, done, ada } = await start()
    await done('create_mfa_policy', { userId: ada.userId, ...newMfaPolicy({ condition: isUsual }) })
    const statusOf = async (data: `0x${string}`) => (await call(data)).body.activity.status
    expect(await statusOf(pay(1, addressOf(7)))).toBe('ACTIVITY_STATUS_COMPLETED')
    expect(await statusOf(withGap(pay(1, addressOf(7))))).toBe('ACTIVITY_STATUS_AUTHENTICATORS_NEEDED')
  })
})

describe('a value of another type', () => {
  test('does not pass what the denial says besides', async () => {
    const { deny, call } = await start()
    await deny(`eth.tx.contract_call_args['recipients'] == 'none' || eth.tx.to == '${token}'`)
    expectRefused(await call(pay(1, addressOf(1))), 403, denied)
  })
})

describe('an item without a value', () => {
  const instruction = (data: string) =>
    new TransactionInstruction({ programId: program, keys: [], data: Buffer.from(data, 'hex') })
  const empty = instruction('')

  test('does not hide another one from `any`', async () => {
    const { deny, send } = await start()
    await deny("solana.tx.instructions.any(one, one.instruction_data_hex[0..2] == '03')")
    expect((await send([instruction('0400')])).status).toBe(200)
    expect((await send([empty, instruction('0400')])).status).toBe(200)
    expectRefused(await send([instruction('0300')]), 403, denied)
    expectRefused(await send([empty, instruction('0300')]), 403, denied)
    expectRefused(await send([instruction('0300'), empty]), 403, denied)
  })

  test('does not hide another one from `all`', async () => {
    const { deny, send } = await start()
    await deny("!solana.tx.instructions.all(one, one.instruction_data_hex[0..2] == '03')")
    expect((await send([instruction('0300')])).status).toBe(200)
    expectRefused(await send([empty, instruction('0400')]), 403, denied)
    expectRefused(await send([empty, instruction('0300')]), 403, denied)
  })

  test.each([
    'solana.tx.lamport_transfers.filter(one, one.amount > 5).count() > 0',
    'solana.tx.lamport_transfers.any(one, one.amount > 5)',
    '!solana.tx.lamport_transfers.all(one, one.amount <= 5)',
  ])('is too much where it is an amount that the message does not say: %s', async (condition) => {
    const { deny, send, solana } = await start()
    await deny(condition)
    const transfer = (lamports: number) => SystemProgram.transfer({ fromPubkey: solana, toPubkey: program, lamports })
    const close = new TransactionInstruction({
      programId: new PublicKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'),
      keys: [program, solana, solana].map((pubkey) => ({ pubkey, isSigner: false, isWritable: true })),
      data: Buffer.of(9),
    })
    expect((await send([transfer(5)])).status).toBe(200)
    expectRefused(await send([close]), 403, denied)
    expectRefused(await send([transfer(5), close]), 403, denied)
    expectRefused(await send([transfer(6)]), 403, denied)
    expectRefused(await send([transfer(6), close]), 403, denied)
    expectRefused(await send([close, transfer(6)]), 403, denied)
  })

  test.each([
    'solana.tx.lamport_transfers.any(one, one.amount > 5) || solana.tx.spl_transfers.any(one, one.amount > 5)',
    '!(solana.tx.lamport_transfers.all(one, one.amount <= 5) && solana.tx.spl_transfers.all(one, one.amount <= 5))',
    `solana.tx.lamport_transfers[0].amount > 5 || solana.tx.spl_transfers.any(one, one.amount > 5)`,
    `solana.tx.lamport_transfers.any(one, one.amount > 5 || one.to == '${PublicKey.default.toBase58()}')`,
  ])('does not hide what else is denied: %s', async (condition) => {
    const { deny, send, solana } = await start()
    await deny(condition)
    const tokens = (code: number, to: PublicKey, data: readonly number[] = []) =>
      new TransactionInstruction({
        programId: new PublicKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'),
        keys: [program, to, solana].map((pubkey) => ({ pubkey, isSigner: false, isWritable: true })),
        data: Buffer.of(code, ...data),
      })
    const close = (to = solana) => tokens(9, to)
    const transfer = (amount: number) => tokens(3, program, [amount, 0, 0, 0, 0, 0, 0, 0])
    expect((await send([transfer(5)])).status).toBe(200)
    const isAboutTokens = condition.includes('spl_transfers')
    const large = isAboutTokens ? [transfer(6), close()] : [close(PublicKey.default)]
    expectRefused(await send(large), 403, denied)
    expectRefused(await send([close(), ...large]), 403, denied)
  })

  test.each([
    `solana.tx.instructions.any(one, ${moreThanFive('amount')}) || solana.tx.instructions.any(one, ${moreThanFive('lamports')})`,
    `solana.tx.instructions.any(one, ${moreThanFive('amount')} || ${moreThanFive('lamports')})`,
  ])('is not hidden by an argument that it lacks: %s', async (condition) => {
    const { deny, done, send } = await start()
    await uploadProgram(done)
    await deny(condition)
    for (const name of ['amount', 'lamports']) expectRefused(await send([given(name, 6)]), 403, denied)
    expectRefused(await send([given('amount', 5), given('lamports', 6)]), 403, denied)
    expect((await send([given('amount', 5)])).status).toBe(200)
  })

  test('does not hide another one from an MFA policy', async () => {
    const { send, done, ada, solana } = await start()
    const condition = 'solana.tx.instructions.any(one, one.accounts[1].account_key == one.accounts[0].account_key)'
    await done('create_mfa_policy', { userId: ada.userId, ...newMfaPolicy({ condition }) })
    const toItself = SystemProgram.transfer({ fromPubkey: solana, toPubkey: solana, lamports: 5 })
    const statusOf = async (instructions: readonly TransactionInstruction[]) =>
      (await send(instructions)).body.activity.status
    expect(await statusOf([empty])).toBe('ACTIVITY_STATUS_COMPLETED')
    expect(await statusOf([toItself])).toBe('ACTIVITY_STATUS_AUTHENTICATORS_NEEDED')
    expect(await statusOf([empty, toItself])).toBe('ACTIVITY_STATUS_AUTHENTICATORS_NEEDED')
  })
})

/** Its instructions take an amount or lamports. */
function uploadProgram(done: Awaited<ReturnType<typeof start>>['done']) {
  return done('create_smart_contract_interface', {
    smartContractAddress: program.toBase58(),
    smartContractInterface: JSON.stringify({
      version: '0.1.0',
      name: 'treasury',
      instructions: ['amount', 'lamports'].map((name) => ({ name, accounts: [], args: [{ name, type: 'u8' }] })),
    }),
    type: 'SMART_CONTRACT_INTERFACE_TYPE_SOLANA',
    label: 'program',
    notes: '',
  })
}

function given(name: string, value: number): TransactionInstruction {
  const discriminator = createHash('sha256').update(`global:${name}`).digest().subarray(0, 8)
  return new TransactionInstruction({ programId: program, keys: [], data: Buffer.of(...discriminator, value) })
}

function moreThanFive(argument: string): string {
  return `one.parsed_instruction_data.program_call_args['${argument}'] > 5`
}

describe('a field that the request lacks', () => {
  const approveTo = (to: string) =>
    encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [to as `0x${string}`, 1n] })
  const isToSeven = (argument: string) => `eth.tx.contract_call_args['${argument}'] == '${addressOf(7)}'`

  test.each([
    `${isToSeven('to')} || ${isToSeven('spender')}`,
    `'${addressOf(7)}' in [eth.tx.contract_call_args['to'], eth.tx.contract_call_args['spender']]`,
    `private_key.label == 'a' || ${isToSeven('spender')}`,
    `!(${isToSeven('to')} && eth.tx.gas < 5) && ${isToSeven('spender')}`,
  ])('does not hide the other side of a denial: %s', async (condition) => {
    const { deny, call } = await start()
    await deny(condition)
    expect((await call(approveTo(addressOf(8)))).status).toBe(200)
    expectRefused(await call(approveTo(addressOf(7))), 403, denied)
  })

  test('does not take a call that nobody can read out of a denial of its contract', async () => {
    const { deny, call } = await start()
    await deny(`${isToSeven('to')} || eth.tx.to == '${token}'`)
    expectRefused(await call('0x'), 403, denied)
    expectRefused(await call('0x12345678'), 403, denied)
  })

  const named = 'one.parsed_instruction_data.instruction_name'
  test.each([
    `!solana.tx.instructions.all(one, ${named} == 'amount')`,
    `solana.tx.instructions.any(one, ${named} != 'amount')`,
    `solana.tx.instructions.filter(one, one.program_key == '${program.toBase58()}').any(one, !(${named} in ['amount']))`,
  ])('does not take an instruction out of a denial of all but some: %s', async (condition) => {
    const { deny, done, send } = await start()
    await uploadProgram(done)
    const unread = new TransactionInstruction({ programId: program, keys: [], data: Buffer.of(1) })
    await deny(condition)
    expect((await send([given('amount', 6)])).status).toBe(200)
    for (const other of [given('lamports', 6), unread]) {
      expectRefused(await send([other]), 403, denied)
      expectRefused(await send([given('amount', 6), other]), 403, denied)
    }
  })
})

describe('an activity that has no kind, resource or action', () => {
  const isOther = [
    "activity.kind != 'SIGN_TRANSACTION'",
    "!(activity.kind in ['SIGN_TRANSACTION', 'SIGN_RAW_PAYLOAD'])",
  ]
  test.each(isOther)('is denied with all others by %s', async (condition) => {
    const { deny, call, done, submit, ada, anotherUser } = await start()
    await done('create_policy', newPolicy({ effect: 'EFFECT_ALLOW', condition: "activity.resource == 'CREDENTIAL'" }))
    const { userId } = await anotherUser('bob')
    const link = () =>
      submit('create_passkey_link', { userId, publicKey: newP256Pair().compressed, expirationSeconds: '600' }, ada)
    expect((await link()).status).toBe(200)
    await deny(condition, { policyName: 'second' })
    expect((await call('0x')).status).toBe(200)
    expectRefused(await link(), 403, denied)
  })

  test.each(["activity.kind != 'SIGN_TRANSACTION'", "activity.resource != 'PRIVATE_KEY'", "activity.action != 'SIGN'"])(
    'asks for the step of an MFA policy about all others: %s',
    async (condition) => {
      const { submit, done, rootUserId } = await start()
      await done('create_mfa_policy', { userId: rootUserId, ...newMfaPolicy({ condition }) })
      const answer = await submit('update_organization_name', { organizationName: 'renamed' })
      expect(answer.body.activity.status).toBe('ACTIVITY_STATUS_AUTHENTICATORS_NEEDED')
    },
  )
})

describe('an activity of the root quorum alone asks for the step of an MFA policy', () => {
  const statusOf = ({ body }: Answer) => body.activity.status
  const needed = 'ACTIVITY_STATUS_AUTHENTICATORS_NEEDED'

  test.each([
    "activity.resource == 'ORGANIZATION'",
    "activity.action in ['CREATE', 'UPDATE', 'DELETE', 'IMPORT', 'EXPORT', 'SIGN']",
    "activity.resource == 'ORGANIZATION' && activity.action == 'UPDATE'",
    "activity.action != 'UPDATE'",
    "activity.resource != 'ORGANIZATION'",
  ])('%s', async (condition) => {
    const { submit, done, rootUserId, ada } = await start()
    await done('create_mfa_policy', { userId: rootUserId, ...newMfaPolicy({ condition }) })
    expect(statusOf(await submit('update_organization_name', { organizationName: 'renamed' }))).toBe(needed)
    const quorum = { threshold: 1, userIds: [rootUserId, ada.userId] }
    expect(statusOf(await submit('update_root_quorum', quorum))).toBe(needed)
    const feature = { name: 'FEATURE_NAME_EMAIL_RECOVERY' }
    expect(statusOf(await submit('set_organization_feature', feature))).toBe(needed)
  })

  test("activity.resource == 'AUTH_PROXY'", async () => {
    const { submit, done, rootUserId } = await start()
    const condition = "activity.resource == 'AUTH_PROXY'"
    const operations = ['otp_init_v2', 'otp_verify_v2', 'wallet_kit_config']
    await done('enable_auth_proxy', { operations, allowedOrigins: ['https://app.example.com'], appName: 'Acme' })
    await done('create_mfa_policy', { userId: rootUserId, ...newMfaPolicy({ condition }) })
    expect(statusOf(await submit('disable_auth_proxy', {}))).toBe(needed)
    expect(statusOf(await submit('update_organization_name', { organizationName: 'renamed' }))).toBe(
      'ACTIVITY_STATUS_COMPLETED',
    )
  })
})

describe('an account that only a look-up table names', () => {
  const [friend, enemy, table] = [Keypair, Keypair, Keypair].map((one) => one.generate().publicKey) as [
    PublicKey,
    PublicKey,
    PublicKey,
  ]
  const isEnemy = `one.to == '${enemy.toBase58()}'`

  async function startWithTable() {
    const started = await start()
    const { sendMessage, solana } = started
    const looked = new AddressLookupTableAccount({
      key: table,
      state: {
        deactivationSlot: 2n ** 64n - 1n,
        lastExtendedSlot: 0,
        lastExtendedSlotStartIndex: 0,
        addresses: [enemy],
      },
    })
    const pay = (toPubkey: PublicKey) => {
      const instructions = [SystemProgram.transfer({ fromPubkey: solana, toPubkey, lamports: 5 })]
      const message = new TransactionMessage({ payerKey: solana, recentBlockhash: addressOfBlock, instructions })
      return sendMessage(message.compileToV0Message([looked]))
    }
    return { ...started, pay }
  }

  test.each([
    `solana.tx.transfers.any(one, ${isEnemy})`,
    `!solana.tx.transfers.all(one, !(${isEnemy}))`,
    `solana.tx.transfers.filter(one, ${isEnemy}).count() > 0`,
    `solana.tx.instructions.any(i, i.accounts.any(a, a.account_key in ['${enemy.toBase58()}', '${table.toBase58()}']))`,
    "solana.tx.transfers.any(one, one.to == 'ADDRESS_TABLE_LOOKUP')",
    `solana.tx.account_keys.contains('${enemy.toBase58()}')`,
    `solana.tx.transfers.any(one, one.to[0..6] == '${enemy.toBase58().slice(0, 6)}')`,
    `'${enemy.toBase58().slice(6, 12)}' in [solana.tx.transfers[0].to[6..12]]`,
  ])('may be the one that is denied: %s', async (condition) => {
    const { deny, pay } = await startWithTable()
    expect((await pay(enemy)).status).toBe(200)
    await deny(condition)
    expect((await pay(friend)).status).toBe(200)
    expectRefused(await pay(enemy), 403, denied)
  })

  test.each([
    `solana.tx.transfers.any(one, ${isEnemy} && one.amount > 5)`,
    `solana.tx.transfers.any(one, ${isEnemy} && one.to != 'ADDRESS_TABLE_LOOKUP')`,
    `solana.tx.transfers.any(one, !(one.to in ['${friend.toBase58()}', 'ADDRESS_TABLE_LOOKUP']))`,
  ])('is not denied where the rest of the denial is false: %s', async (condition) => {
    const { deny, pay } = await startWithTable()
    await deny(condition)
    expect((await pay(enemy)).status).toBe(200)
  })

  test('is no permission', async () => {
    const { pay, done, found } = await startWithTable()
    const [{ policyId }] = (await found('list_policies')).policies
    await done('update_policy', { policyId, policyCondition: `solana.tx.transfers.all(one, ${isEnemy})` })
    expectRefused(await pay(enemy), 403, 'No policies evaluated to outcome: Allow')
  })

  const isNoEnemy = `one != '${enemy.toBase58()}'`
  test.each([
    `solana.tx.transfers.all(one, one.to != '${enemy.toBase58()}')`,
    `solana.tx.transfers.all(one, !(one.to in ['${enemy.toBase58()}']))`,
    `solana.tx.transfers.filter(one, ${isEnemy}).count() == 0`,
    `solana.tx.account_keys.all(one, ${isNoEnemy})`,
    `solana.tx.account_keys.filter(one, ${isNoEnemy}).count() == solana.tx.account_keys.count()`,
  ])('is allowed by no policy for all but one: %s', async (policyCondition) => {
    const { pay, done, found } = await startWithTable()
    const [{ policyId }] = (await found('list_policies')).policies
    await done('update_policy', { policyId, policyCondition })
    expect((await pay(friend)).status).toBe(200)
    expectRefused(await pay(enemy), 403, 'No policies evaluated to outcome: Allow')
  })

  test.each([
    'solana.tx.instructions.any(i, i.accounts[0].account_key != i.accounts[1].account_key)',
    '!solana.tx.instructions.all(i, i.accounts[0].account_key == i.accounts[1].account_key)',
  ])('may be another one than that of another table: %s', async (condition) => {
    const { deny, send, sendMessage, solana, done, found } = await startWithTable()
    const [first, second] = [friend, enemy].map((pubkey) => ({ pubkey, isSigner: false, isWritable: false }))
    if (first === undefined || second === undefined) throw new Error('two accounts')
    const of = (keys: readonly AccountMeta[]) => new TransactionInstruction({ programId: program, keys: [...keys] })
    const looked = () => {
      const state = { deactivationSlot: 2n ** 64n - 1n, lastExtendedSlot: 0, lastExtendedSlotStartIndex: 0 }
      const both = new AddressLookupTableAccount({ key: table, state: { ...state, addresses: [friend, enemy] } })
      const instructions = [of([first, second])]
      const message = new TransactionMessage({ payerKey: solana, recentBlockhash: addressOfBlock, instructions })
      return sendMessage(message.compileToV0Message([both]))
    }
    const [{ policyId }] = (await found('list_policies')).policies
    await done('update_policy', { policyId, policyCondition: `!(${condition})` })
    expect((await send([of([first, first])])).status).toBe(200)
    expectRefused(await looked(), 403)
    await done('update_policy', { policyId, policyCondition: '' })
    await deny(condition)
    expect((await send([of([first, first])])).status).toBe(200)
    expectRefused(await send([of([first, second])]), 403, denied)
    expectRefused(await looked(), 403, denied)
  })
})

describe('a signature that is valid on every chain', () => {
  test.each(['== 1', '!= 1', 'in [5, 1]'])('may be on the one of a denial: chain_id %s', async (comparison) => {
    const { deny, submit, ada, ethereum, sign } = await start()
    const authorize = (chainId: number) =>
      submit(
        'sign_raw_payload',
        {
          signWith: ethereum,
          payload: JSON.stringify({ address: token, chainId, nonce: 0 }),
          encoding: 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION',
          hashFunction: 'HASH_FUNCTION_NO_OP',
        },
        ada,
      )
    const pay = (chainId?: number) => {
      const unsigned = { type: 'legacy' as const, to: token, gas: 1n, gasPrice: 1n, ...(chainId && { chainId }) }
      return sign('ETHEREUM', { signWith: ethereum, unsignedTransaction: serializeTransaction(unsigned as never) })
    }
    for (const field of ['eth.eip_7702_authorization', 'eth.tx']) {
      await deny(`${field}.chain_id ${comparison}`, { policyName: field })
    }
    const [other, one] = comparison === '!= 1' ? [1, 3] : [3, 1]
    for (const send of [authorize, pay]) {
      expect((await send(other)).status).toBe(200)
      expectRefused(await send(one), 403, denied)
    }
    expectRefused(await authorize(0), 403, denied)
    expectRefused(await pay(), 403, denied)
  })
})

describe('a denial of the export of an account', () => {
  async function startWithExports() {
    const started = await start()
    const { done, found, submit, ada } = started
    await done('create_policy', newPolicy({ effect: 'EFFECT_ALLOW', condition: "activity.action == 'EXPORT'" }))
    const { walletId } = (await found('list_wallets')).wallets[0]
    const { accounts } = await found('list_wallet_accounts', { walletId })
    const [account] = accounts
    const targetPublicKey = newP256Pair().uncompressed
    return {
      ...started,
      walletId,
      account,
      exportWallet: (ask: Ask = ada) => submit('export_wallet', { walletId, targetPublicKey }, ask),
    }
  }

  test.each(['public_key', 'address'])('holds for its wallet, by %s', async (name) => {
    const { deny, account, exportWallet } = await startWithExports()
    const value = name === 'address' ? account.address : account.publicKey
    await deny(`activity.action == 'EXPORT' && wallet_account.${name} == '${value}'`, { policyName: 'second' })
    const refused = await exportWallet()
    expectRefused(refused, 403, denied)
    expect(JSON.stringify(refused.body.details)).toContain('which a denial takes for true')
  })

  test('does not hold for another wallet that it rules out', async () => {
    const { deny, account, exportWallet, done } = await startWithExports()
    const { walletId } = await done('create_wallet', { walletName: 'other', accounts: [] })
    const condition = `wallet.id == '${walletId}' && wallet_account.public_key == '${account.publicKey}'`
    await deny(condition, { policyName: 'second' })
    expect((await exportWallet()).status).toBe(200)
  })

  test('is the same for the step of an MFA policy', async () => {
    const { account, exportWallet, done, rootUserId } = await startWithExports()
    const condition = `activity.action == 'EXPORT' && wallet_account.public_key == '${account.publicKey}'`
    await done('create_mfa_policy', { userId: rootUserId, ...newMfaPolicy({ condition }) })
    expect((await exportWallet({})).body.activity.status).toBe('ACTIVITY_STATUS_AUTHENTICATORS_NEEDED')
  })
})

describe('a wallet of which an account was exported', () => {
  test('is an exported one, also after the account was deleted and made again', async () => {
    const { deny, done, ethereum, call, found } = await start()
    await deny("wallet.exported && activity.action == 'SIGN'")
    expect((await call('0x12')).status).toBe(200)
    await done('export_wallet_account', { address: ethereum, targetPublicKey: newP256Pair().uncompressed })
    expectRefused(await call('0x12'), 403, denied)
    const { walletId, walletAccountId } = (await found('list_wallet_accounts', {})).accounts.find(
      ({ address }: { address: string }) => address === ethereum,
    )
    await done('delete_wallet_accounts', { walletAccountIds: [walletAccountId], deleteWithoutExport: true })
    await done('create_wallet_accounts', { walletId, accounts: [newAccount()] })
    expectRefused(await call('0x12'), 403, denied)
  })
})

test('a denial of the deletion of wallets holds for their accounts', async () => {
  const { ada, deny, done, submit, found } = await start()
  await done('create_policy', newPolicy({ effect: 'EFFECT_ALLOW', policyName: 'all' }))
  await deny("wallets.any(one, one.label == 'hot')")
  const accounts = (await found('list_wallet_accounts', {})).accounts
  const walletAccountIds = accounts.map(({ walletAccountId }: { walletAccountId: string }) => walletAccountId)
  expectRefused(
    await submit('delete_wallet_accounts', { walletAccountIds, deleteWithoutExport: true }, ada),
    403,
    denied,
  )
})

describe('what cannot be read does not select the lighter of two MFA policies', () => {
  const step = (type: string) => [{ any: [{ type: `AUTHENTICATION_TYPE_${type}` }] }]

  /** Ada's API key alone is enough for what the condition describes; for other signatures she takes a passkey. */
  async function startWithLighter(condition: string) {
    const started = await start()
    const { done, ada } = started
    const policies = [
      { mfaPolicyName: 'light', order: 0, condition, requiredAuthenticationMethods: step('API_KEY') },
      {
        mfaPolicyName: 'strict',
        order: 1,
        condition: "activity.action == 'SIGN'",
        requiredAuthenticationMethods: step('PASSKEY'),
      },
    ]
    for (const policy of policies) await done('create_mfa_policy', { userId: ada.userId, ...newMfaPolicy(policy) })
    return started
  }
  const statusIn = async (answer: ReturnType<Awaited<ReturnType<typeof start>>['call']>) =>
    (await answer).body.activity.status
  const done = 'ACTIVITY_STATUS_COMPLETED'
  const needed = 'ACTIVITY_STATUS_AUTHENTICATORS_NEEDED'

  test('a transaction without a chain', async () => {
    const { sign, ethereum } = await startWithLighter('eth.tx.chain_id == 11155111')
    const send = (chainId?: number) => {
      const fields = { gas: 21_000n, gasPrice: 1n, to: addressOf(1), value: 10n ** 20n }
      const chain = chainId === undefined ? {} : { chainId }
      const unsignedTransaction = serializeTransaction({ type: 'legacy', ...fields, ...chain })
      return statusIn(sign('ETHEREUM', { signWith: ethereum, unsignedTransaction }))
    }
    expect(await send(11155111)).toBe(done)
    expect(await send(1)).toBe(needed)
    expect(await send()).toBe(needed)
  })

  test('arguments in another encoding', async () => {
    const { call } = await startWithLighter("eth.tx.contract_call_args['recipients'].count() <= 5")
    expect(await statusIn(call(pay(1, addressOf(7))))).toBe(done)
    expect(await statusIn(call(pay(9, addressOf(7))))).toBe(needed)
    expect(await statusIn(call(withGap(pay(9, addressOf(7)))))).toBe(needed)
  })

  test('a list that is too long', async () => {
    const { call } = await startWithLighter(`!(${isBlocked})`)
    expect(await statusIn(call(pay(500, addressOf(500))))).toBe(done)
    expect(await statusIn(call(pay(500, addressOf(7))))).toBe(needed)
    expect(await statusIn(call(pay(1_200, addressOf(7))))).toBe(needed)
  })

  test('accounts of look-up tables', async () => {
    const own = Keypair.generate().publicKey
    const count = (list: string) => `solana.tx.${list}.count() == 1`
    const all = `solana.tx.transfers.all(t, t.to == '${own.toBase58()}')`
    const { sendMessage, solana } = await startWithLighter(
      `${count('instructions')} && ${count('transfers')} && ${all}`,
    )
    const pay = (to: PublicKey, tables: readonly AddressLookupTableAccount[] = []) => {
      const instructions = [SystemProgram.transfer({ fromPubkey: solana, toPubkey: to, lamports: 5 })]
      const message = new TransactionMessage({ payerKey: solana, recentBlockhash: addressOfBlock, instructions })
      return statusIn(sendMessage(message.compileToV0Message([...tables])))
    }
    const stranger = Keypair.generate().publicKey
    const state = { deactivationSlot: 2n ** 64n - 1n, lastExtendedSlot: 0, lastExtendedSlotStartIndex: 0 }
    const table = new AddressLookupTableAccount({ key: program, state: { ...state, addresses: [stranger] } })
    expect(await pay(own)).toBe(done)
    expect(await pay(stranger)).toBe(needed)
    expect(await pay(stranger, [table])).toBe(needed)
  })

  test('a number in words', async () => {
    const { submit, ada, ethereum } = await startWithLighter("eth.eip_712.message['amount'] <= 1000")
    const withdraw = (amount: string | number, type: string) => {
      const types = { EIP712Domain: [{ name: 'name', type: 'string' }], Withdraw: [{ name: 'amount', type }] }
      const document = { domain: { name: 'X' }, types, primaryType: 'Withdraw', message: { amount } }
      const payload = JSON.stringify(document)
      const given = { signWith: ethereum, encoding: 'PAYLOAD_ENCODING_EIP712', hashFunction: 'HASH_FUNCTION_NO_OP' }
      return statusIn(submit('sign_raw_payload', { ...given, payload }, ada))
    }
    expect(await withdraw('1000', 'uint256')).toBe(done)
    expect(await withdraw('1001', 'uint256')).toBe(needed)
    expect(await withdraw('1,000,000', 'string')).toBe(needed)
  })
})

describe('a payload in another spelling of the same bytes', () => {
  const text = 'transfer 5 to bob'
  const hex = Buffer.from(text).toString('hex')
  const [asText, asHex] = ['PAYLOAD_ENCODING_TEXT_UTF8', 'PAYLOAD_ENCODING_HEXADECIMAL']

  async function startWithPayloads() {
    const started = await start()
    const { submit, ada, ethereum } = started
    const given = { signWith: ethereum, hashFunction: 'HASH_FUNCTION_KECCAK256' }
    return {
      ...started,
      raw: (encoding: string, payload: string, hashFunction = given.hashFunction) =>
        submit('sign_raw_payload', { ...given, encoding, payload, hashFunction }, ada),
      several: (encoding: string, payloads: readonly string[], hashFunction = given.hashFunction) =>
        submit('sign_raw_payloads', { ...given, encoding, payloads, hashFunction }, ada),
      typed(hashFunction: string) {
        const types = { EIP712Domain: [{ name: 'name', type: 'string' }], Permit: [{ name: 'value', type: 'uint256' }] }
        const document = { domain: { name: 'X' }, types, primaryType: 'Permit', message: { value: '5' } }
        const payload = JSON.stringify(document)
        return submit('sign_raw_payload', { ...given, hashFunction, encoding: 'PAYLOAD_ENCODING_EIP712', payload }, ada)
      },
    }
  }

  test.each([
    `activity.params.encoding == '${asText}'`,
    `activity.params.encoding in ['${asText}']`,
    `activity.params.encoding != '${asHex}'`,
    `activity.kind == 'SIGN_RAW_PAYLOAD' && !(activity.params.encoding in ['${asHex}'])`,
  ])('is denied as a text: %s', async (condition) => {
    const { deny, raw } = await startWithPayloads()
    await deny(condition)
    expectRefused(await raw(asText, text), 403, denied)
    expectRefused(await raw(asHex, hex), 403, denied)
    expect((await raw(asHex, 'ff')).status).toBe(200)
  })

  test('is denied as hex', async () => {
    const { deny, raw } = await startWithPayloads()
    await deny(`activity.params.encoding == '${asHex}'`)
    for (const [encoding, payload] of [
      [asHex, hex],
      [asText, text],
      [asHex, 'ff'],
    ] as const) {
      expectRefused(await raw(encoding, payload), 403, denied)
    }
  })

  test('is denied among other payloads', async () => {
    const { deny, several } = await startWithPayloads()
    await deny(`activity.params.encoding == '${asText}'`)
    expectRefused(await several(asHex, ['ff', hex]), 403, denied)
    expect((await several(asHex, ['ff', 'fe'])).status).toBe(200)
  })

  test('is allowed where all of it is, and no more than that', async () => {
    const { raw, several, done, found } = await startWithPayloads()
    const [{ policyId }] = (await found('list_policies')).policies
    await done('update_policy', { policyId, policyCondition: `activity.params.encoding == '${asText}'` })
    expect((await raw(asText, text)).status).toBe(200)
    expect((await raw(asHex, hex)).status).toBe(200)
    expect((await several(asHex, [hex, hex])).status).toBe(200)
    expectRefused(await raw(asHex, 'ff'), 403)
    expectRefused(await several(asHex, [hex, 'ff']), 403)
  })

  test('is denied with the hash of typed data that has two names', async () => {
    const { deny, typed } = await startWithPayloads()
    const permit = "eth.eip_712.primary_type == 'Permit'"
    const { policyId } = await deny(`${permit} && activity.params.hash_function == 'HASH_FUNCTION_NO_OP'`)
    for (const hashFunction of ['HASH_FUNCTION_NO_OP', 'HASH_FUNCTION_KECCAK256']) {
      const refused = await typed(hashFunction)
      expectRefused(refused, 403, denied, policyId)
      expect(JSON.stringify(refused.body.details)).toContain("== 'HASH_FUNCTION_NO_OP'` is true")
    }
  })

  const digest = bytesToHex(keccak256(Buffer.from(text)))
  const hash = 'activity.params.hash_function'
  test.each([
    `${hash} == 'HASH_FUNCTION_KECCAK256'`,
    `${hash} in ['HASH_FUNCTION_SHA256', 'HASH_FUNCTION_KECCAK256']`,
    `activity.params.encoding == '${asText}' && ${hash} == 'HASH_FUNCTION_KECCAK256'`,
    `!(${hash} != 'HASH_FUNCTION_KECCAK256')`,
  ])('is denied as its digest, whose signature is the same: %s', async (condition) => {
    const { deny, raw, several } = await startWithPayloads()
    const asked = await raw(asText, text)
    const given = await raw(asHex, digest, 'HASH_FUNCTION_NO_OP')
    expect(given.body.activity.result).toEqual(asked.body.activity.result)
    await deny(condition)
    expectRefused(await raw(asText, `${text}!`), 403, denied)
    const other = digest.replaceAll('0', '1')
    expectRefused(await raw(asHex, other, 'HASH_FUNCTION_NO_OP'), 403, denied)
    expectRefused(await several(asHex, [other, digest], 'HASH_FUNCTION_NO_OP'), 403, denied)
  })

  test('asks for the step of an MFA policy as its digest', async () => {
    const { raw, done, ada } = await startWithPayloads()
    const condition = `${hash} == 'HASH_FUNCTION_KECCAK256'`
    await done('create_mfa_policy', { userId: ada.userId, ...newMfaPolicy({ condition }) })
    const { body } = await raw(asHex, digest, 'HASH_FUNCTION_NO_OP')
    expect(body.activity.status).toBe('ACTIVITY_STATUS_AUTHENTICATORS_NEEDED')
  })

  test('is no permission as its digest, and a denial of all but digests is none of digests', async () => {
    const { raw, deny, done, found } = await startWithPayloads()
    await deny(`${hash} != 'HASH_FUNCTION_NO_OP'`)
    expect((await raw(asHex, digest, 'HASH_FUNCTION_NO_OP')).status).toBe(200)
    expectRefused(await raw(asHex, hex), 403, denied)
    for (const { policyId, effect } of (await found('list_policies')).policies) {
      if (effect === 'EFFECT_DENY') await done('delete_policy', { policyId })
      else await done('update_policy', { policyId, policyCondition: `${hash} == 'HASH_FUNCTION_KECCAK256'` })
    }
    expect((await raw(asHex, hex)).status).toBe(200)
    expectRefused(await raw(asHex, digest.replaceAll('0', '1'), 'HASH_FUNCTION_NO_OP'), 403)
  })
})
