import { TronWeb, utils } from 'tronweb'
import Schema from 'typebox/schema'
import { encodeFunctionData, erc20Abi, parseEther, serializeTransaction, toRlp } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import {
  absentId,
  expectRefused,
  newAccount,
  newApiKey,
  newPrivateKey,
  newUser,
  type Parameters,
  startOrganization,
} from '../../../test/support/organization.ts'
import { plainLines } from '../../contract/explanation/texts/plain_lines.ts'
import { referenceTo } from '../../contract/fields/named.ts'
import { openApiDocument } from '../../service/http/openapi/openapi.ts'

const { submit, done, found, query, rootUserId } = await startOrganization()
const { addresses } = await done('create_wallet', { walletName: 'Treasury', accounts: [newAccount()] })
const [signWith] = addresses
const to = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

/** The schema as `/openapi.json` has it, with no other members than those that it names. */
const { components } = openApiDocument({ version: '1.2.3', command: 'claviger' })
const described = Schema.Compile(JSON.parse(JSON.stringify({ $ref: referenceTo('Explanation'), components }), closed))

function closed(_key: string, value: unknown): unknown {
  const isShape = typeof value === 'object' && value !== null && 'properties' in value && 'type' in value
  return isShape ? { ...value, additionalProperties: false } : value
}

async function linesOf(name: string, parameters: Parameters): Promise<readonly string[]> {
  const { status, body } = await submit(name, parameters)
  expect(status, JSON.stringify(body)).toBe(200)
  const { explanation } = await found('explain_activity', { activityId: body.activity.id })
  expect(described.Errors(explanation)).toEqual([true, []])
  return plainLines(explanation).map((line) => line.trim().replaceAll('\u00a0', ''))
}

function paymentOf(fields: object): Parameters {
  const unsignedTransaction = serializeTransaction({
    ...{ type: 'eip1559', chainId: 1, nonce: 7, gas: 21_000n, to },
    ...{ maxFeePerGas: 2_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n, value: parseEther('1.5') },
    ...fields,
  })
  return { signWith, type: 'TRANSACTION_TYPE_ETHEREUM', unsignedTransaction }
}

test('a payment that a client made is explained with its chain, recipient, amount, fee and nonce', async () => {
  const lines = await linesOf('sign_transaction', paymentOf({}))
  expect(lines[0]).toBe(`Send 1.5 ETH (1500000000000000000 wei) to ${to}`)
  expect(lines).toContain('chain: Ethereum (eip155:1)')
  expect(lines).toContain(`from: “Treasury” (${signWith})`)
  expect(lines).toContain('fee at most: 0.000042 ETH (42000000000000 wei)')
  expect(lines).toContain('nonce: 7')
  expect(lines.join('\n')).toContain(`user ${rootUserId}`)
})

test('no title is silent about an amount: of a new contract, of a call of a token, of an account that gets code', async () => {
  const titleOf = async (fields: object) => (await linesOf('sign_transaction', paymentOf(fields)))[0]
  const oneAndAHalf = '1.5 ETH (1500000000000000000 wei)'
  expect(await titleOf({ to: undefined, data: '0x60016002' })).toContain(`. Create a contract with ${oneAndAHalf}`)
  const transfer = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, 7n] })
  expect(await titleOf({ data: transfer })).toContain(` of ${to} with ${oneAndAHalf}`)
  const account = privateKeyToAccount(generatePrivateKey())
  const authorization = await account.signAuthorization({ address: to, chainId: 1, nonce: 0 })
  const withCode = { type: 'eip7702', authorizationList: [authorization] }
  const control = `WARNING: control of ${account.address} goes to ${to}. `
  expect(await titleOf(withCode)).toBe(`${control}Change the code of accounts, and send ${oneAndAHalf} to ${to}`)
  expect(await titleOf({ ...withCode, value: 0n })).toBe(`${control}Change the code of accounts`)
})

test('a call of a token of Tron that also sends TRX and a token by number says so in its title', async () => {
  const accounts = [newAccount({ path: "m/44'/195'/0'", addressFormat: 'ADDRESS_FORMAT_TRON' })]
  const [tron = ''] = (await done('create_wallet', { walletName: 'Tron', accounts })).addresses
  const token = TronWeb.address.fromPrivateKey('1'.repeat(64))
  if (token === false) expect.fail('a private key has an address')
  const value = {
    owner_address: TronWeb.address.toHex(tron),
    contract_address: TronWeb.address.toHex(token),
    data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, 7n] }).slice(2),
    call_value: 2_500_000,
    call_token_value: 40,
    token_id: 1_000_001,
  }
  const raw_data = {
    contract: [{ type: 'TriggerSmartContract', parameter: { value, type_url: '' } }],
    ...{ ref_block_bytes: '0102', ref_block_hash: '0102030405060708', expiration: 2, timestamp: 1 },
  }
  const recipient = TronWeb.address.fromHex(`41${to.slice(2)}`)
  const transaction = utils.transaction.txJsonToPb({ visible: false, txID: '', raw_data_hex: '', raw_data } as never)
  const unsignedTransaction = utils.transaction.txPbToRawDataHex(transaction).toLowerCase()
  const lines = await linesOf('sign_transaction', {
    ...{ signWith: tron, type: 'TRANSACTION_TYPE_TRON', unsignedTransaction },
  })
  expect(lines[0]).toBe(
    `WARNING: ${recipient} gets 7 of the smallest unit of the token ${token}. Call “transfer” of ${token} with 2.5 TRX (2500000 sun) and 40 of the smallest unit of the token TRC-10 1000001`,
  )
  expect(lines.join('\n')).toContain('2.5 TRX (2500000 sun)')
})

test('an authorization in a transaction names the account for which its code acts', async () => {
  const account = privateKeyToAccount(generatePrivateKey())
  const authorization = await account.signAuthorization({ address: to, chainId: 1, nonce: 0 })
  const flipped = { ...authorization, yParity: authorization.yParity === 0 ? 1 : 0 } as const
  const lines = await linesOf(
    'sign_transaction',
    paymentOf({ type: 'eip7702', authorizationList: [authorization, flipped] }),
  )
  const named = lines.filter((line) => line.startsWith('for the account: '))
  expect(named).toHaveLength(2)
  expect(named[0]).toBe(`for the account: ${account.address}`)
  expect(named[1]).not.toBe(named[0])
})

describe('bytes that are signed as they are', () => {
  const payloadOf = (payload: string, hashFunction = 'HASH_FUNCTION_KECCAK256') => ({
    ...{ signWith, payload, encoding: 'PAYLOAD_ENCODING_HEXADECIMAL', hashFunction },
  })

  test('and read as a transaction come with a warning and its meaning', async () => {
    const { unsignedTransaction } = paymentOf({})
    const lines = await linesOf('sign_raw_payload', payloadOf(String(unsignedTransaction)))
    expect(lines[0]).toBe(`WARNING: ${to} gets 1.5 ETH (1500000000000000000 wei), and 1 more. Sign a payload`)
    expect(lines.join()).toContain('these bytes read as a transaction, which rules about transactions do not see')
    expect(lines).toContain('what these bytes say:')
    expect(lines).toContain(`to: ${to}`)
    expect(lines).toContain('amount: 1.5 ETH (1500000000000000000 wei)')
    const hashedOtherwise = await linesOf(
      'sign_raw_payload',
      payloadOf(String(unsignedTransaction), 'HASH_FUNCTION_SHA256'),
    )
    expect(hashedOtherwise[0]).toBe('WARNING: nobody can tell what these bytes mean. Sign a payload')
  })

  test('and read as an authorization say whose code it lets act', async () => {
    const bytes = `0x05${toRlp(['0x', to, '0x07']).slice(2)}`
    const lines = await linesOf('sign_raw_payload', payloadOf(bytes))
    expect(lines.some((line) => line.includes('these bytes read as an authorization (EIP-7702)'))).toBe(true)
    expect(lines).toContain(`code at: ${to}`)
    expect(lines).toContain('chain: [VALID ON EVERY CHAIN]')
  })

  test('and read as hashes of typed data say that the data is not here', async () => {
    const lines = await linesOf('sign_raw_payload', payloadOf(`0x1901${'11'.repeat(64)}`))
    expect(lines.some((line) => line.includes('these bytes read as the hashes of typed data'))).toBe(true)
  })

  test('and are a text carry no warning', async () => {
    expect((await linesOf('sign_raw_payload', payloadOf('0x48656c6c6f'))).join()).not.toContain('WARNING')
  })
})

test('a call that no interface names shows its selector', async () => {
  const lines = await linesOf('sign_transaction', paymentOf({ value: 0n, data: `0x12345678${'00'.repeat(32)}` }))
  expect(lines).toContain('not known: [Unknown call, selector: “0x12345678”]')
  expect(lines).toContain(`data: 0x12345678${'00'.repeat(32)} (36 bytes)`)
})

test('the coin of an unknown chain has no unit', async () => {
  const lines = await linesOf('sign_transaction', paymentOf({ chainId: 987_654_321, value: 5n }))
  expect(lines[0]).toBe(`Send 5 wei to ${to}`)
  expect(lines).toContain('chain: (eip155:987654321)')
})

test('an activity without an explanation of its own shows every parameter, and names beside ids', async () => {
  const [userId] = (await done('create_users', { users: [newUser({ userName: 'Grace' })] })).userIds
  const apiKeys = [newApiKey({ apiKeyName: 'Phone' })]
  const lines = await linesOf('create_api_keys', { userId, apiKeys })
  expect(lines[0]).toMatch(new RegExp(`\\. Create api keys: “Grace” \\(user ${userId}\\)$`))
  expect(lines).toContain(`user id: “Grace” (user ${userId})`)
  expect(lines).toContain('api key name: “Phone”')
})

test('what one request makes several of stands in the title by its names', async () => {
  const users = ['Grace', 'Ada', 'Bob', 'Eve'].map((userName) => newUser({ userName }))
  expect((await linesOf('create_users', { users }))[0]).toBe('Create users: “Grace”, “Ada”, “Bob”, [1 more]')
  const privateKeys = [newPrivateKey({ privateKeyName: 'Hot' })]
  expect((await linesOf('create_private_keys', { privateKeys }))[0]).toBe('Create private keys: “Hot”')
})

test('an activity that does not exist is not found', async () => {
  expectRefused(await query('explain_activity', { activityId: absentId }), 404)
})
