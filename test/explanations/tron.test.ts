import { TronWeb, utils } from 'tronweb'
import { encodeFunctionData, erc20Abi, parseAbi } from 'viem'
import { expect, test } from 'vitest'
import { encodedCall } from '../support/contract_calls.ts'
import { explaining, memberOf, plain, valuesAt, warningsOf } from '../support/explanations.ts'
import { expectRefused, newAccount, startOrganization } from '../support/organization.ts'

const organization = await startOrganization()
const { done, submit } = organization
const explain = explaining(organization)
const { addresses } = await done('create_wallet', {
  ...{ walletName: 'Treasury' },
  accounts: [newAccount({ path: "m/44'/195'/0'/0/0", addressFormat: 'ADDRESS_FORMAT_TRON' })],
})
const signWith = String(addresses[0])
const stranger = String(TronWeb.address.fromPrivateKey('1'.repeat(64)))
const hexOf = (base58: string) => TronWeb.address.toHex(base58)

/** `raw_data` in hex, as tronweb writes it. */
function rawDataOf(type: string, value: object, more: object = {}): string {
  const raw_data = {
    contract: [{ type, parameter: { value: { owner_address: hexOf(signWith), ...value }, type_url: '' } }],
    ...{
      ref_block_bytes: '0102',
      ref_block_hash: '0102030405060708',
      expiration: 2,
      timestamp: 1,
      fee_limit: 15_000_000,
    },
    ...more,
  }
  const transaction = utils.transaction.txJsonToPb({ visible: false, txID: '', raw_data_hex: '', raw_data } as never)
  return utils.transaction.txPbToRawDataHex(transaction).toLowerCase()
}

/** The fields of the contract, as tronweb reads them. */
function readBack(type: string, rawData: string): Readonly<Record<string, unknown>> {
  return utils.deserializeTx.deserializeTransaction(type, rawData).contract[0].parameter.value
}

const explainTransaction = (unsignedTransaction: string) =>
  explain('sign_transaction', { signWith, type: 'TRANSACTION_TYPE_TRON', unsignedTransaction })

const explainPayload = (payload: string) =>
  explain('sign_raw_payload', {
    ...{ signWith, payload, encoding: 'PAYLOAD_ENCODING_HEXADECIMAL', hashFunction: 'HASH_FUNCTION_SHA256' },
  })

test('a transfer has the recipient and the amount that tronweb reads', async () => {
  const rawData = rawDataOf('TransferContract', { to_address: hexOf(stranger), amount: 1_250_000 })
  const { explanation, lines } = await explainTransaction(rawData)
  const read = readBack('TransferContract', rawData)
  expect(lines[0]).toBe(`Send 1.25 TRX (1250000 sun) to ${stranger}`)
  const [transfer] = valuesAt(explanation, 'transfers', 'transfer')
  expect(hexOf(String(plain(memberOf(transfer, 'to'))))).toBe(String(read.to_address).toLowerCase())
  expect(plain(memberOf(transfer, 'amount'))).toBe(BigInt(Number(read.amount)))
  expect(lines).toContain('fee limit: 15 TRX (15000000 sun)')
})

test('calls in a known function are read: who gets TRX, code of others, refunds, and lists that do not fit', async () => {
  const [eve, self] = [stranger, signWith].map((one) => `0x${hexOf(one).slice(2)}` as const) as [
    `0x${string}`,
    `0x${string}`,
  ]
  const contract = `41${'ab'.repeat(20)}`
  const warningsIn = async (declaration: string, ...args: readonly unknown[]) => {
    const called = { contract_address: contract, data: encodedCall(declaration, args).slice(2) }
    const { explanation, lines } = await explainTransaction(rawDataOf('TriggerSmartContract', called))
    return { codes: warningsOf(explanation), title: String(lines[0]) }
  }
  const one = await warningsIn('execute(address,uint256,bytes)', eve, 10n ** 12n, '0x')
  expect(one.title).toContain(`WARNING: ${stranger} gets 1000000 TRX`)
  const batch = 'executeBatch(address[],uint256[],bytes[])'
  const several = await warningsIn(batch, [self, eve], [10n ** 12n, 10n ** 6n], ['0x', '0x'])
  expect(several.codes.slice(0, 2)).toEqual(['goesTo', 'goesTo'])
  expect(several.title).toMatch(/^WARNING: .* gets 1000000 TRX/)
  const transfer = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [eve, 5n] })
  expect((await warningsIn(batch, [self], [0n], [transfer])).title).toContain(`WARNING: ${stranger} gets 5 of`)
  expect((await warningsIn(batch, [eve], [0n, 0n], ['0x'])).codes).toContain('unreadable')
  const module = 'execTransactionFromModule(address,uint256,bytes,uint8)'
  expect((await warningsIn(module, eve, 5n, '0x', 1)).codes).toEqual(['delegateCall'])
  expect((await warningsIn(module, eve, 0n, '0x12345678', 0)).codes).toContain('callsInside')
  const safe = 'execTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes)'
  const refund = [10n ** 9n, 10n ** 9n, `0x${'00'.repeat(20)}`, eve, '0x']
  const refunded = await warningsIn(safe, self, 0n, '0x', 0, 0n, ...refund)
  expect(refunded.title).toContain(`the Safe pays ${stranger} 1000 TRX`)
  const itself = await warningsIn('multicall(bytes[])', [transfer])
  const token = TronWeb.address.fromHex(contract)
  expect(itself.title).toContain(`WARNING: ${stranger} gets 5 of the smallest unit of the token ${token}. Call `)
})

test('calls in a call have rows of their own with addresses of Tron, read by uploaded interfaces too', async () => {
  const [eve, shop] = [`0x${hexOf(stranger).slice(2)}`, `0x${'cd'.repeat(20)}`] as const
  const shopOnTron = TronWeb.address.fromHex(`41${'cd'.repeat(20)}`)
  await done('create_smart_contract_interface', {
    ...{ smartContractAddress: shop, label: 'Shop', type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM' },
    smartContractInterface: JSON.stringify(parseAbi(['function buy(uint256 item, address receiver)'])),
  })
  const transfer = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [eve, 5n] })
  const buy = encodedCall('buy(uint256,address)', [7n, eve])
  const batch = encodedCall('executeBatch(address[],uint256[],bytes[])', [
    [shop, shop],
    [0n, 3n],
    [transfer, buy],
  ])
  const contract = `41${'ab'.repeat(20)}`
  const { explanation, lines } = await explainTransaction(
    rawDataOf('TriggerSmartContract', { contract_address: contract, data: batch.slice(2) }),
  )
  const [shown] = valuesAt(explanation, 'calls', 'calls')
  expect(plain(shown)).toMatchObject([
    { asToken: { function: 'transfer', to: stranger, amount: 5n, token: shopOnTron }, contract: shopOnTron },
    {
      ...{ contract: shopOnTron, function: 'buy', arguments: { item: 7n, receiver: stranger } },
      ...{ amount: 3n, decodedBy: [expect.anything()] },
    },
  ])
  expect(warningsOf(explanation)).toEqual(['goesTo', 'goesTo', 'callsInside'])
  expect(lines).toContain('amount: 0.000003 TRX (3 sun)')
  expect(lines.filter((line) => line.includes(`0x${'cd'.repeat(20)}`))).toEqual([])
  const alone = await explainTransaction(
    rawDataOf('TriggerSmartContract', { contract_address: hexOf(shopOnTron), data: buy.slice(2), call_value: 2 }),
  )
  expect(warningsOf(alone.explanation)).toEqual(['onlyInterface'])
  expect(alone.lines[0]).toContain(`. Call “buy” of ${shopOnTron} with 0.000002 TRX (2 sun)`)
})

test('a transfer of TRC-20 has the recipient and the amount that its data has', async () => {
  const to = `0x${hexOf(stranger).slice(2)}` as const
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, 7_000_000n] })
  const token = TronWeb.address.fromHex(`41${'ab'.repeat(20)}`)
  const value = { contract_address: hexOf(token), data: data.slice(2) }
  const { explanation, lines } = await explainTransaction(rawDataOf('TriggerSmartContract', value))
  expect(lines[0]).toBe(`Send 7000000 of the smallest unit of the token ${token} to ${stranger}`)
  const [transfer] = valuesAt(explanation, 'transfers', 'transfer')
  expect(plain(memberOf(transfer, 'to'))).toBe(stranger)
  expect(plain(memberOf(transfer, 'token'))).toBe(token)
  expect(plain(memberOf(transfer, 'amount'))).toBe(7_000_000n)
})

test('data of a call that is not read changes the title: a tail, an unknown function, other bits above an address', async () => {
  const to = `0x${hexOf(stranger).slice(2)}` as const
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, 7n] }).slice(2)
  const token = TronWeb.address.fromHex(`41${'ab'.repeat(20)}`)
  const titleOf = async (given: string) => {
    const value = { contract_address: hexOf(token), data: given }
    return (await explainTransaction(rawDataOf('TriggerSmartContract', value))).lines[0]
  }
  expect(await titleOf(`${data}aabb`)).toBe(
    `WARNING: 2 bytes that are signed are not read. Send 7 of the smallest unit of the token ${token} to ${stranger}`,
  )
  const unread = (bytes: number) => `WARNING: ${bytes} bytes that are signed are not read. Call`
  expect(await titleOf('deadbeef')).toBe(`${unread(4)} 0xdeadbeef (4 bytes) of ${token}`)
  expect(await titleOf(`${data.slice(0, 8)}01${data.slice(10)}`)).toBe(
    `WARNING: an address that cannot be read gets an amount that cannot be read, and 1 more. Call “transfer” of ${token}`,
  )
})

test('a function that gives control is known on Tron too, and its title names who gets it', async () => {
  const abi = parseAbi(['function transferOwnership(address newOwner)'])
  const to = `0x${hexOf(stranger).slice(2)}` as const
  const data = encodeFunctionData({ abi, functionName: 'transferOwnership', args: [to] }).slice(2)
  const contract = TronWeb.address.fromHex(`41${'ab'.repeat(20)}`)
  const value = { contract_address: hexOf(contract), data }
  const { explanation, lines } = await explainTransaction(rawDataOf('TriggerSmartContract', value))
  expect(lines[0]).toBe(`WARNING: control of ${contract} goes to ${stranger}. Call “transferOwnership” of ${contract}`)
  expect(valuesAt(explanation, 'calls', 'arguments').map(plain)).toEqual([{ newOwner: stranger }])
})

test('a memo that is no text changes the title', async () => {
  const raw = rawDataOf('TransferContract', { to_address: hexOf(stranger), amount: 5 })
  // Field 10 of `raw_data` stands between fields 8 and 11.
  const [before, after] = [raw.slice(0, raw.indexOf('5a')), raw.slice(raw.indexOf('5a'))]
  const text = await explainTransaction(`${before}520472656e74${after}`)
  expect(text.lines[0]).toBe(`Send 0.000005 TRX (5 sun) to ${stranger}`)
  const bytes = await explainTransaction(`${before}5203ff0001${after}`)
  expect(bytes.lines[0]).toBe(`WARNING: 3 bytes that are signed are not read. Send 0.000005 TRX (5 sun) to ${stranger}`)
})

test('a memo that imitates a statement is a quoted text of the requester, and nothing in it ends the quotes', async () => {
  const text = 'approved by Alice”\r\nrequested by: “Alice\u202e\u0301'
  const data = Buffer.from(text).toString('hex')
  const raw = rawDataOf('TransferContract', { to_address: hexOf(stranger), amount: 5 }, { data })
  const { lines } = await explainTransaction(raw)
  expect(lines.filter((line) => line.includes('approved by'))).toEqual([
    expect.stringMatching(
      /^memo of the requester: “approved by Alice⟨U\+201D⟩↵requested by: ⟨U\+201C⟩Alice⟨U\+202E⟩.*” \[beware: .*direction.*\]$/,
    ),
  ])
})

test('a memo that is not shown to its end changes the title', async () => {
  const memo = (text: string) => {
    const data = Buffer.from(text).toString('hex')
    return rawDataOf('TransferContract', { to_address: hexOf(stranger), amount: 5 }, { data })
  }
  expect((await explainTransaction(memo('x'.repeat(1_000)))).lines[0]).toMatch(/^Send /)
  const { lines } = await explainTransaction(memo(`${'x'.repeat(1_000)} to the account of Eve`))
  expect(lines[0]).toMatch(/^WARNING: a text is not shown to its end\. Send /)
})

test('a memo that may be an order to another program is a warning beside a payment, and an ordinary one is not', async () => {
  const titleOf = async (text: string, contract: object = { to_address: hexOf(stranger), amount: 5 }) => {
    const data = Buffer.from(text).toString('hex')
    const type = 'amount' in contract ? 'TransferContract' : 'TriggerSmartContract'
    return (await explainTransaction(rawDataOf(type, contract, { data }))).lines[0]
  }
  const warning = /^WARNING: data beside the payment may say what becomes of it\. /
  const call = (data: string) => ({ contract_address: `41${'ab'.repeat(20)}`, data })
  const transfer = `a9059cbb${'0'.repeat(24)}${'cd'.repeat(20)}${'7'.padStart(64, '0')}`
  for (const order of [`=:ETH.ETH:0x${'ab'.repeat(20)}`, 'SWAP:BTC.BTC:bob', `for ${stranger}`]) {
    expect(await titleOf(order)).toMatch(warning)
    expect(await titleOf(order, call(transfer))).toMatch(warning)
    // Nothing is paid.
    expect(await titleOf(order, call('a22cb465'))).not.toContain('data beside')
  }
  expect(await titleOf('invoice 17')).toMatch(/^Send /)
})

test('a change of permissions says in the title who gets control of the account', async () => {
  const [eve, mallory] = ['2', '3'].map((digit) => String(TronWeb.address.fromPrivateKey(digit.repeat(64))))
  const key = (address = '') => ({ address: hexOf(address), weight: 1 })
  const operations = `7fff1fc0033e03${'00'.repeat(25)}`
  const titleOf = async (owners: readonly string[], actives: readonly string[]) => {
    const value = {
      owner: { type: 0, permission_name: 'owner', threshold: 1, keys: owners.map(key) },
      actives: [{ type: 2, permission_name: 'active', threshold: 1, operations, keys: actives.map(key) }],
    }
    return (await explainTransaction(rawDataOf('AccountPermissionUpdateContract', value))).lines[0]
  }
  const titleFor = (keys: number) =>
    `Replace every key of ${signWith}: 1 of ${keys} keys may do everything, and every other key loses what it may do`
  const title = titleFor(1)
  expect(await titleOf([String(eve)], [String(eve)])).toBe(
    `WARNING: control of ${signWith} goes to ${eve}, and 1 more. ${title}`,
  )
  expect(await titleOf([signWith, String(eve)], [String(mallory)])).toBe(
    `WARNING: control of ${signWith} goes to ${eve}, and 1 more. ${titleFor(2)}`,
  )
  expect(await titleOf([signWith], [signWith])).toBe(title)
})

test('a change of permissions says how few keys decide, and that the key that signs loses control', async () => {
  const [one, other] = ['2', '3'].map((digit) => String(TronWeb.address.fromPrivateKey(digit.repeat(64))))
  const explainOwners = async (
    threshold: number,
    keys: readonly (readonly [string | undefined, number])[],
    thresholdOfActive?: number,
  ) => {
    const owner = {
      ...{ type: 0, permission_name: 'owner', threshold },
      keys: keys.map(([address = '', weight]) => ({ address: hexOf(address), weight })),
    }
    const ofActive = { type: 2, permission_name: 'active', operations: `7fff1fc0033e03${'00'.repeat(25)}` }
    const actives = thresholdOfActive === undefined ? [] : [{ ...owner, ...ofActive, threshold: thresholdOfActive }]
    return explainTransaction(rawDataOf('AccountPermissionUpdateContract', { owner, actives }))
  }
  const deciding = async (threshold: number, ...weights: readonly number[]) => {
    const all = [signWith, one, other]
    const keys = weights.map((weight, index) => [all[index], weight] as const)
    const { lines } = await explainOwners(threshold, keys)
    return /: (\d+ of \d+) keys may do everything/.exec(String(lines[0]))?.[1]
  }
  expect(await deciding(2, 1, 1, 1)).toBe('2 of 3')
  expect(await deciding(2, 1, 2, 1)).toBe('1 of 3')
  expect(await deciding(4, 1, 2, 1)).toBe('3 of 3')
  const equal = [signWith, one, other].map((address) => [address, 1] as const)
  expect((await explainOwners(3, equal, 3)).lines[0]).toContain(': 3 of 3 keys may do everything')
  expect((await explainOwners(3, equal, 1)).lines[0]).toContain(': 1 of 3 keys may do everything')
  const lost = await explainOwners(1, [[one, 1]])
  expect(warningsOf(lost.explanation)).toEqual(['changesControl', 'losesControl'])
  expect(lost.lines).toContain(`warning: [${signWith} has no control of ${signWith} afterwards]`)
  expect((await explainOwners(5, [[signWith, 1]])).lines[0]).toContain(': none of 1 keys may do everything')
})

test.each([
  ['decides alone', 1, [1, 1], true],
  ['decides alone beside one that does', 2, [2, 5], true],
  ['makes two of three enough', 2, [1, 1, 1], true],
  ['is needed', 3, [1, 1, 1], true],
  ['stands beside one that decides alone', 2, [1, 2], false],
  ['stands beside one that decides alone, and another', 2, [1, 2, 1], false],
  ['is never needed, for both others together are enough and neither is with it', 4, [1, 2, 2], false],
  ['has no weight', 1, [0, 1], false],
  ['is not enough, nor are all', 5, [1, 1], false],
])('a key that signs, and that %s, has a say or loses control', async (_, threshold, weights, hasSay) => {
  const others = ['2', '3'].map((digit) => String(TronWeb.address.fromPrivateKey(digit.repeat(64))))
  const keys = weights.map((weight, index) => ({ address: hexOf([signWith, ...others][index] ?? ''), weight }))
  const owner = { type: 0, permission_name: 'owner', threshold, keys }
  const { explanation } = await explainTransaction(rawDataOf('AccountPermissionUpdateContract', { owner, actives: [] }))
  expect(warningsOf(explanation).includes('losesControl')).toBe(!hasSay)
})

test('an active permission that may change permissions is a warning that says how many of its keys are enough', async () => {
  const key = (one: string, weight = 1) => ({ address: hexOf(one), weight })
  const owner = { type: 0, permission_name: 'owner', threshold: 2, keys: [key(signWith), key(stranger)] }
  const explainActive = async (operations: string, threshold = 1) => {
    const keys = [key(signWith), key(stranger)]
    const actives = [{ type: 2, permission_name: 'active', threshold, operations, keys }]
    return explainTransaction(rawDataOf('AccountPermissionUpdateContract', { owner, actives }))
  }
  const rest = '00'.repeat(25)
  const warning = (enough: number) =>
    `an active permission of ${signWith} may replace every key, that of the owner too: ${enough} of 2 keys are enough`
  // The first two are those of usual wallets. The last has every bit but that of type 46.
  for (const usual of [`7fff1fc0033e03${rest}`, `7fff1fc0033ec3${rest}`, `ffffffffffbf${'ff'.repeat(26)}`])
    expect(warningsOf((await explainActive(usual)).explanation)).toEqual(['changesControl'])
  for (const [operations, threshold] of [
    [`7fff1fc0037e03${rest}`, 1],
    ['ff'.repeat(32), 2],
    [`${'00'.repeat(5)}40${'00'.repeat(26)}`, 1],
  ] as const) {
    const { explanation, lines } = await explainActive(operations, threshold)
    expect(warningsOf(explanation)).toEqual(['replacesOwner', 'changesControl'])
    expect(lines[0]).toContain(`WARNING: ${warning(threshold)}, and 1 more. Replace every key of `)
  }
})

test('an account whose own key gets control of it again is lost to another key that signs', async () => {
  const other = String(TronWeb.address.fromPrivateKey('2'.repeat(64)))
  const explainKeys = (...keys: readonly string[]) => {
    const owner = {
      ...{ type: 0, permission_name: 'owner', threshold: 1 },
      keys: keys.map((one) => ({ address: hexOf(one), weight: 1 })),
    }
    const operations = `7fff1fc0033e03${'00'.repeat(25)}`
    const actives = [{ ...owner, type: 2, permission_name: 'active', operations }]
    const value = { owner_address: hexOf(other), owner, actives }
    return explainTransaction(rawDataOf('AccountPermissionUpdateContract', value))
  }
  const { lines } = await explainKeys(other)
  expect(lines[0]).toMatch(
    `WARNING: control of ${other} goes to ${other}, and 2 more. Replace every key of ${other}: 1 of 1 keys`,
  )
  expect(lines.filter((line) => line === `“address”: ${other}`)).toHaveLength(2)
  expect((await explainKeys(signWith)).lines[0]).toMatch(/^WARNING: it acts for .* Replace every key of /)
})

test('no title of Tron is silent about what is delegated or frozen', async () => {
  const titleOf = async (type: string, value: object) => (await explainTransaction(rawDataOf(type, value))).lines[0]
  const delegated = { receiver_address: hexOf(stranger), balance: 5_000_000, resource: 'ENERGY' }
  expect(await titleOf('DelegateResourceContract', delegated)).toBe(
    `Sign delegate resource contract for Tron: 5 TRX (5000000 sun) for ${stranger}`,
  )
  expect(await titleOf('FreezeBalanceV2Contract', { frozen_balance: 7_000_000 })).toBe(
    'Sign freeze balance v2 contract for Tron: 7 TRX (7000000 sun)',
  )
})

test.each([
  ['3 days of the protocol', { lock: true }, '86400 blocks of 3 seconds, about 3 days'],
  ['30 days', { lock: true, lock_period: 864_000 }, '864000 blocks of 3 seconds, about 30 days'],
  ['hardly more than a day', { lock: true, lock_period: 30_001 }, '30001 blocks of 3 seconds, about 25 hours'],
  ['one block', { lock: true, lock_period: 1 }, '1 blocks of 3 seconds, about 3 seconds'],
])('a delegation of Tron that is locked for %s says how long nobody can take it back', async (_, lock, period) => {
  const delegated = { receiver_address: hexOf(stranger), balance: 5_000_000, resource: 'ENERGY', ...lock }
  const rawData = rawDataOf('DelegateResourceContract', delegated)
  const { lines } = await explainTransaction(rawData)
  expect(lines[0]).toBe(
    `WARNING: nobody can take back what is delegated to ${stranger} before the lock ends, after ${period}. Sign delegate resource contract for Tron: 5 TRX (5000000 sun) for ${stranger}`,
  )
  expect(lines.filter((line) => line === `lock period: [${period}]`)).toHaveLength('lock_period' in lock ? 1 : 0)
  const payload = await explainPayload(rawData)
  expect(warningsOf(payload.explanation)).toEqual(['locksDelegation', 'delegatesStake', 'isTransaction'])
})

test('a period of a delegation of Tron that is not locked is shown with its unit, and warns of nothing', async () => {
  const delegated = { receiver_address: hexOf(stranger), balance: 5_000_000, resource: 'ENERGY', lock_period: 28_800 }
  const { explanation, lines } = await explainTransaction(rawDataOf('DelegateResourceContract', delegated))
  expect(warningsOf(explanation)).toEqual([])
  expect(lines).toContain('lock period: [28800 blocks of 3 seconds, about 1 day]')
})

test('a transfer of TRC-10 is refused with the name of its contract', async () => {
  const value = { to_address: hexOf(stranger), amount: 5, asset_name: '31303030303031' }
  const unsignedTransaction = rawDataOf('TransferAssetContract', value)
  const answer = await submit('sign_transaction', { signWith, type: 'TRANSACTION_TYPE_TRON', unsignedTransaction })
  expectRefused(answer, 400, 'contract type 2')
})

test('bytes that are a transfer of TRC-10 say that they are a transaction which is not decoded', async () => {
  const value = { to_address: hexOf(stranger), amount: 5, asset_name: '31303030303031' }
  const { lines } = await explainPayload(rawDataOf('TransferAssetContract', value))
  expect(lines.some((line) => line.startsWith('warning: [these bytes read as a transaction'))).toBe(true)
  expect(lines).toContain('transaction type: [This is not decoded: “TransferAssetContract”]')
})

test('bytes that name several types of contracts show all of them: one may stand where nodes do not look', async () => {
  const value = { to_address: hexOf(stranger), amount: 5, asset_name: '31303030303031' }
  const name = Buffer.from('/protocol.VoteWitnessContract')
  const data = `52${Buffer.of(name.length).toString('hex')}${name.toString('hex')}`
  const { lines } = await explainPayload(`${data}${rawDataOf('TransferAssetContract', value)}`)
  expect(lines).toContain('transaction type: [This is not decoded: “VoteWitnessContract, TransferAssetContract”]')
})

test('bytes that are a transaction in another form than the canonical one come with the warning too', async () => {
  const rawData = rawDataOf('TransferContract', { to_address: hexOf(stranger), amount: 5 })
  // Nodes skip a field that they do not know: number 100, of value 1.
  const { lines } = await explainPayload(`${rawData}a00601`)
  expect(lines.some((line) => line.startsWith('warning: [these bytes read as a transaction'))).toBe(true)
  const whole = await explainPayload(rawData)
  expect(whole.lines).toContain('amount: 0.000005 TRX (5 sun)')
})

test.each([
  [{}],
  [{ call_value: 2 }],
  [{ call_token_value: 3, token_id: 1_000_001 }],
  [{ call_value: 2, call_token_value: 3, token_id: 1_000_001 }],
])('an unknown call in a payload is named, whatever it sends along: %o', async (sent) => {
  const { explanation } = await explainPayload(
    rawDataOf('TriggerSmartContract', { contract_address: `41${'ab'.repeat(20)}`, data: '12345678', ...sent }),
  )
  expect(warningsOf(explanation)).toContain('callsInside')
})

test('a payload says of a transaction of Tron what its title says', async () => {
  const codesOf = async (type: string, value: object) =>
    warningsOf((await explainPayload(rawDataOf(type, value))).explanation).filter((code) => code !== 'isTransaction')
  const contract_address = hexOf(stranger)
  const data = encodedCall('acceptOwnership()', []).slice(2)
  const amounts = { call_value: 5_000_000, call_token_value: 1, token_id: 1_000_001 }
  const called = await codesOf('TriggerSmartContract', { contract_address, ...amounts, data })
  expect(called.filter((code) => code === 'goesTo')).toHaveLength(2)
  expect(called).toContain('callsInside')
  expect(await codesOf('FreezeBalanceV2Contract', { frozen_balance: 5_000_000, resource: 1 })).toEqual(['doesOnTron'])
  const delegated = { resource: 1, balance: 5_000_000, receiver_address: hexOf(stranger) }
  expect(await codesOf('DelegateResourceContract', delegated)).toEqual(['delegatesStake'])
  expect(await codesOf('UnDelegateResourceContract', delegated)).toEqual(['doesOnTron'])
  const keys = [{ address: hexOf(signWith), weight: 1 }]
  const owner = { type: 0, permission_name: 'owner', threshold: 1, keys }
  expect(await codesOf('AccountPermissionUpdateContract', { owner, actives: [] })).toEqual(['changesWhoControls'])
})

test('a transfer from another account says whose it is', async () => {
  const value = { owner_address: hexOf(stranger), to_address: hexOf(stranger), amount: 5_000_000 }
  const { explanation, lines } = await explainTransaction(rawDataOf('TransferContract', value))
  expect(warningsOf(explanation)).toContain('otherOwner')
  expect(lines.join('\n')).toContain(`it acts for ${stranger}, which is not the account that signs`)
})
