import { getAddress, maxUint256, parseAbi, serializeTransaction, toFunctionSelector, zeroAddress } from 'viem'
import { expect, test } from 'vitest'
import { encodedCall } from '../support/contract_calls.ts'
import { explaining, memberOf, plain, valuesAt, warningsOf } from '../support/explanations.ts'
import { newAccount, startOrganization } from '../support/organization.ts'

const organization = await startOrganization()
const { done } = organization
const explain = explaining(organization)
const { addresses } = await done('create_wallet', { walletName: 'Treasury', accounts: [newAccount()] })
const [signWith] = addresses
const someone = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const other = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const contract = '0x90F79bf6EB2c4f870365E785982E1f101E93b906'

async function explainCall(data: string, to: string = contract) {
  const unsignedTransaction = serializeTransaction({
    ...{ type: 'eip1559', chainId: 1, nonce: 7, gas: 21_000n, maxFeePerGas: 2n },
    ...{ to: getAddress(to), data: `0x${data.slice(2)}` },
  })
  const explained = await explain('sign_transaction', {
    ...{ signWith, type: 'TRANSACTION_TYPE_ETHEREUM', unsignedTransaction },
  })
  return { ...explained, call: valuesAt(explained.explanation, 'calls', 'call')[0] }
}

async function upload(smartContractAddress: string, signatures: readonly string[]) {
  return explain('create_smart_contract_interface', {
    ...{ smartContractAddress, label: 'Uploaded', type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM' },
    smartContractInterface: JSON.stringify(parseAbi(signatures)),
  })
}

const role = `0x${'00'.repeat(32)}`
const ofToken = (amount: bigint, token: string = contract) => `${amount} of the smallest unit of the token ${token}`
const either = (amount: bigint, token?: string) => `${ofToken(amount, token)} (or its token with that number)`
const whoControls = `who controls ${contract} changes:`
const enough = 'after which so many of its owners are enough:'
const controlGoes = `control of ${contract} goes to`

test.each<[string, readonly unknown[], string, string?]>([
  ['transferOwnership(address newOwner)', [someone], `${controlGoes} ${someone}`],
  ['renounceOwnership()', [], `${controlGoes} none`],
  ['setOwner(address owner)', [someone], `${controlGoes} ${someone}`],
  ['grantRole(bytes32 role, address account)', [role, someone], `${controlGoes} ${someone}`],
  ['revokeRole(bytes32 role, address account)', [role, someone], `who controls ${contract} changes: “revokeRole”`],
  ['upgradeTo(address newImplementation)', [someone], `${controlGoes} ${someone}`],
  ['upgradeToAndCall(address newImplementation, bytes data)', [someone, '0x'], `${controlGoes} ${someone}`],
  ['changeProxyAdmin(address proxy, address newAdmin)', [other, someone], `control of ${other} goes to ${someone}`],
  ['addOwnerWithThreshold(address owner, uint256 threshold)', [someone, 1n], `${controlGoes} ${someone}, and 1 more`],
  [
    'swapOwner(address previousOwner, address oldOwner, address newOwner)',
    [other, other, someone],
    `${controlGoes} ${someone}, and 1 more`,
  ],
  ['changeThreshold(uint256 threshold)', [1n], `${whoControls} “changeThreshold”, ${enough} 1`],
  ['changeRequirement(uint256 required)', [1n], `${whoControls} “changeRequirement”, ${enough} 1`],
  ['addOwner(address owner)', [someone], `${controlGoes} ${someone}`],
  [
    'removeOwner(address owner)',
    [someone],
    `${whoControls} “removeOwner”, after which ${someone} is none of its owners`,
  ],
  ['replaceOwner(address owner, address newOwner)', [other, someone], `${controlGoes} ${someone}, and 1 more`],
  ['increaseApproval(address spender, uint256 amount)', [someone, 9n], `${someone} may spend ${ofToken(9n)}`],
  ['approveDelegation(address spender, uint256 amount)', [someone, 9n], `${someone} may spend ${ofToken(9n)}`],
  ['setOperator(address operator, bool approved)', [someone, true], `${someone} may move every token of ${contract}`],
  [
    'transfer(address to, uint256 id, uint256 amount)',
    [someone, 7n, 20n],
    `${someone} gets 20 of the token number 7 of ${contract}`,
  ],
  [
    'transferFrom(address from, address to, uint256 id, uint256 amount)',
    [other, someone, 7n, 20n],
    `${someone} gets 20 of the token number 7 of ${contract}`,
  ],
  [
    'approve(address spender, uint256 id, uint256 amount)',
    [someone, 7n, 20n],
    `${someone} may spend 20 of the token number 7 of ${contract}`,
  ],
  [
    'approve(address spender, uint256 id, uint256 amount)',
    [someone, 7n, maxUint256],
    `${someone} may spend everything of the token number 7 of ${contract}, and 1 more`,
  ],
  [
    'transferFromAndCall(address from, address to, uint256 amount)',
    [other, someone, 9n],
    `${someone} gets ${ofToken(9n)}`,
  ],
  [
    'transferFromAndCall(address from, address to, uint256 amount, bytes data)',
    [other, someone, 9n, '0x'],
    `${someone} gets ${ofToken(9n)}`,
  ],
  [
    'deposit(uint256 assets, address receiver)',
    [9n, someone],
    `${someone} gets the shares of the vault ${contract} for 9 of the smallest unit of its token`,
  ],
  ['mint(uint256 shares, address receiver)', [9n, someone], `${someone} gets ${ofToken(9n)}`],
  [
    'withdraw(uint256 assets, address receiver, address owner)',
    [9n, someone, other],
    `${someone} gets 9 of the smallest unit of the token that the vault ${contract} holds`,
  ],
  [
    'redeem(uint256 shares, address receiver, address owner)',
    [9n, someone, other],
    `${someone} gets what the vault ${contract} gives for 9 of the smallest unit of its shares`,
  ],
  [
    'confirmTransaction(uint256 transactionId)',
    [7n],
    `it agrees to the transaction 7 of ${contract}, whose content only that contract has`,
  ],
  [
    'executeTransaction(uint256 transactionId)',
    [8n],
    `it agrees to the transaction 8 of ${contract}, whose content only that contract has`,
  ],
  [
    'withdraw(address asset, uint256 amount, address to)',
    [other, 9n, someone],
    `${someone} gets ${ofToken(9n, other)}`,
  ],
  [
    'withdraw(address asset, uint256 amount, address to)',
    [other, maxUint256, someone],
    `${someone} gets as much of the token ${other} as there is, and 1 more`,
  ],
  ...['supply', 'deposit'].map((name): [string, readonly unknown[], string] => [
    `${name}(address asset, uint256 amount, address onBehalfOf, uint16 referralCode)`,
    [other, 9n, someone, 0],
    `${someone} gets ${ofToken(9n, other)}`,
  ]),
  [
    'borrow(address asset, uint256 amount, uint256 interestRateMode, uint16 referralCode, address onBehalfOf)',
    [other, 9n, 2n, 0, someone],
    `${someone} owes ${ofToken(9n, other)} from then on`,
  ],
  [
    'repay(address asset, uint256 amount, uint256 interestRateMode, address onBehalfOf)',
    [other, maxUint256, 2n, someone],
    `as much of the token ${other} as there is pay what ${someone} owes, and 1 more`,
  ],
  ['enableModule(address module)', [someone], `${controlGoes} ${someone}`],
  ['setGuard(address guard)', [someone], `${controlGoes} ${someone}`],
  ['setGuard(address guard)', [zeroAddress], `who controls ${contract} changes: “setGuard”`],
  ['setFallbackHandler(address handler)', [someone], `${controlGoes} ${someone}`],
  ['approveHash(bytes32 hash)', [role], 'only a hash is signed: nobody can tell what it stands for'],
  ['authorizeOperator(address operator)', [someone], `${someone} may move every token of ${contract}`],
  [
    'safeTransferFrom(address from, address to, uint256 id, uint256 amount, bytes data)',
    [other, someone, 7n, 20n, '0x'],
    `${someone} gets 20 of the token number 7 of ${contract}`,
  ],
  [
    'safeBatchTransferFrom(address from, address to, uint256[] ids, uint256[] amounts, bytes data)',
    [other, someone, [7n, 8n], [1n, 1n], '0x'],
    `${someone} gets the tokens of ${contract} that it lists`,
  ],
  ['burn(uint256 amount)', [7n], `${either(7n)} in the account of the caller are destroyed`],
  ['burn(uint256 amount)', [0n], `${either(0n)} in the account of the caller are destroyed`],
  ['burn(uint256 amount, bytes data)', [7n, '0x'], `${ofToken(7n)} in the account of the caller are destroyed`],
  ['burn(address account, uint256 amount)', [someone, 7n], `${ofToken(7n)} in ${someone} are destroyed`],
  ['burnFrom(address account, uint256 amount)', [someone, 7n], `${ofToken(7n)} in ${someone} are destroyed`],
  [
    'burn(address account, uint256 id, uint256 amount)',
    [someone, 7n, 20n],
    `20 of the token number 7 of ${contract} in ${someone} are destroyed`,
  ],
  [
    'burnBatch(address account, uint256[] ids, uint256[] amounts)',
    [someone, [7n, 8n], [1n, 1n]],
    `the tokens of ${contract} that it lists in ${someone} are destroyed`,
  ],
  ['mint(address to, uint256 amount)', [someone, 7n], `${ofToken(7n)} are made for ${someone}`],
  [
    'safeTransferFrom(address from, address to, uint256 tokenId)',
    [other, someone, 0n],
    `${someone} gets 1 of the token number 0 of ${contract}`,
  ],
  [
    'approve(address token, address spender, uint160 amount, uint48 expiration)',
    [other, someone, 2n ** 160n - 1n, 5],
    `${someone} may spend UNLIMITED tokens of ${other}, and 1 more`,
  ],
  [
    'permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
    [other, someone, 9n, 8n, 27, role, role],
    `${someone} may spend ${ofToken(9n)}`,
  ],
])('%s is known without an interface, and its title says who gets what', async (declaration, args, warning) => {
  const { lines, call } = await explainCall(encodedCall(declaration, args))
  const [name = ''] = declaration.split('(')
  expect(lines[0]).toContain(`. Call “${name}” of 0x`)
  expect(lines[0]).toContain(`WARNING: ${warning}. Call `)
  expect(plain(memberOf(call, 'function'))).toBe(name)
  expect(Object.values(plain(memberOf(call, 'arguments')) ?? {})).toEqual(
    args.map((one) => (typeof one === 'number' ? BigInt(one) : one)),
  )
})

test('an ABI with a function of the selector of burn keeps the known name, and the title warns of the other one', async () => {
  const token = getAddress(`0x${'d1'.repeat(20)}`)
  expect(toFunctionSelector('collate_propagate_storage(bytes16)')).toBe(toFunctionSelector('burn(uint256)'))
  const uploaded = await upload(token, ['function collate_propagate_storage(bytes16 data)'])
  expect(uploaded.lines[0]).toContain('WARNING: an uploaded interface gives other names to “burn”, which is known')
  const { lines, call } = await explainCall(encodedCall('burn(uint256 amount)', [5n << 128n]), token)
  expect(lines[0]).toBe(
    `WARNING: ${either(5n << 128n, token)} in the account of the caller are destroyed, and 1 more. Call “burn” of ${token}`,
  )
  expect(lines).toContain('warning: [an uploaded interface gives other names to “burn”, which is known without it]')
  expect(plain(call)).toMatchObject({
    ...{ function: 'burn', arguments: { amount: 5n << 128n } },
    claimed: { function: 'collate_propagate_storage' },
  })
})

test('an ABI that declares a known function as it is, is no reason to warn', async () => {
  const safe = getAddress(`0x${'d2'.repeat(20)}`)
  const uploaded = await upload(safe, ['function transferOwnership(address _owner)', 'function burn(uint256)'])
  expect(warningsOf(uploaded.explanation)).toEqual([])
  const { explanation } = await explainCall(encodedCall('transferOwnership(address newOwner)', [someone]), safe)
  expect(warningsOf(explanation)).toEqual(['changesControl'])
})

test('control that is given in another encoding is a warning too, and so is one without arguments', async () => {
  const sound = encodedCall('transferOwnership(address newOwner)', [someone])
  const dirty = `${sound.slice(0, 10)}01${sound.slice(12)}`
  expect((await explainCall(dirty)).lines[0]).toBe(
    `WARNING: ${controlGoes} This cannot be read, and 1 more. Call “transferOwnership” of ${contract}`,
  )
  const alone = await explainCall(sound.slice(0, 10))
  expect(warningsOf(alone.explanation)).toEqual(['unreadable', 'changesControl'])
})

test('what nobody gets is no warning: a permit that is withdrawn. Tokens that are burned are one', async () => {
  const ended = encodedCall(
    'permit(address holder, address spender, uint256 nonce, uint256 expiry, bool allowed, uint8 v, bytes32 r, bytes32 s)',
    [other, someone, 1n, 2n, false, 27, role, role],
  )
  expect((await explainCall(ended)).lines[0]).toBe(`Call “permit” of ${contract}`)
  const burned = await explainCall(encodedCall('burn(uint256 amount)', [maxUint256]))
  expect(warningsOf(burned.explanation)).toEqual(['destroysTokens', 'unlimited'])
  expect(memberOf(burned.call, 'readAs')).toEqual({ kind: 'note', code: 'amountOrTokenId' })
})

/** What stands in the warnings of a title, of whatever rank. */
const saidIn = ({ lines }: Awaited<ReturnType<typeof explainCall>>) => lines.slice(0, 12).join('\n')

test.each([
  ['addOwnerWithThreshold(address owner, uint256 threshold)', [someone, 1n], `“addOwnerWithThreshold”, ${enough} 1`],
  [
    'removeOwner(address previousOwner, address owner, uint256 threshold)',
    [other, someone, 1n],
    `“removeOwner”, ${enough} 1`,
  ],
  [
    'removeOwner(address previousOwner, address owner, uint256 threshold)',
    [other, someone, 1n],
    `“removeOwner”, after which ${someone} is none of its owners`,
  ],
  [
    'swapOwner(address previousOwner, address oldOwner, address newOwner)',
    [contract, other, someone],
    `“swapOwner”, after which ${other} is none of its owners`,
  ],
])('%s says how many owners are enough, and who is none any more', async (declaration, args, said) => {
  expect(saidIn(await explainCall(encodedCall(declaration, args)))).toContain(`${whoControls} ${said}`)
})

test('an owner who signs gets control, which is no reason to be silent of the threshold, and an account that handles its own calls is none to be', async () => {
  const execution = (to: string, data: string) =>
    encodedCall('execTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes)', [
      ...[to, 0n, data, 0, 0n, 0n, 0n, zeroAddress, zeroAddress, '0x'],
    ])
  const own = encodedCall('addOwnerWithThreshold(address owner, uint256 threshold)', [signWith, 1n])
  const owning = await explainCall(execution(contract, own))
  expect(owning.lines[0]).toMatch(new RegExp(`^WARNING: control of ${contract}[a-z ]* goes to .*${signWith}`))
  expect(owning.lines.some((line) => line.includes(`“addOwnerWithThreshold”, ${enough} 1`))).toBe(true)
  const handler = encodedCall('setFallbackHandler(address handler)', [contract])
  expect((await explainCall(execution(contract, handler))).lines[0]).toContain(
    `WARNING: control of ${contract} itself goes to ${contract}. `,
  )
  const elsewhere = await explainCall(execution(other, encodedCall('transferOwnership(address newOwner)', [contract])))
  expect(elsewhere.lines[0]).toContain('WARNING: to the account that signs, or back to the one that calls: control of')
})

test('an operator who is none any more is no warning, and the owner of shares who gets the assets is the own one', async () => {
  const ended = await explainCall(encodedCall('setOperator(address operator, bool approved)', [someone, false]))
  expect(ended.lines[0]).toBe(`Call “setOperator” of ${contract}`)
  const own = await explainCall(
    encodedCall('withdraw(uint256 assets, address receiver, address owner)', [9n, signWith, signWith]),
  )
  expect(warningsOf(own.explanation)).toEqual(['toOwn'])
})

test('an ABI that exchanges receiver and owner of a vault does not rename them, and its upload warns', async () => {
  const vault = getAddress(`0x${'d3'.repeat(20)}`)
  const uploaded = await upload(vault, ['function withdraw(uint256 assets, address owner, address receiver)'])
  expect(warningsOf(uploaded.explanation)).toEqual(['otherNames'])
  const { explanation, call } = await explainCall(
    encodedCall('withdraw(uint256 assets, address receiver, address owner)', [9n, someone, signWith]),
    vault,
  )
  expect(warningsOf(explanation)).toEqual(['goesTo', 'otherNames'])
  expect(plain(call)).toMatchObject({ arguments: { assets: 9n, receiver: someone, owner: signWith } })
})

test('a call that only an uploaded ABI reads says so in front, with the name of the interface', async () => {
  const shop = getAddress(`0x${'d4'.repeat(20)}`)
  await upload(shop, ['function refresh(uint256 amount, address account)'])
  const { lines, explanation } = await explainCall(
    encodedCall('refresh(uint256 amount, address account)', [9n, someone]),
    shop,
  )
  expect(warningsOf(explanation)).toEqual(['onlyInterface'])
  expect(lines[0]).toMatch(
    /^WARNING: nothing but the uploaded interface says what “refresh” does: “Uploaded” \(.*\)\. Call “refresh” of/,
  )
})

test('a payload names the call of a transaction that nothing here knows, also beside a high fee', async () => {
  const payload = serializeTransaction({
    ...{ type: 'eip1559', chainId: 1, nonce: 7, gas: 1_000_000n, maxFeePerGas: 10n ** 12n },
    ...{ to: getAddress(contract), data: encodedCall('refresh(address account)', [someone]) },
  } as const)
  const { explanation } = await explain('sign_raw_payload', {
    ...{ signWith, encoding: 'PAYLOAD_ENCODING_HEXADECIMAL', hashFunction: 'HASH_FUNCTION_KECCAK256', payload },
  })
  expect(warningsOf(explanation)).toEqual(['highFee', 'isTransaction', 'callsInside', 'unreadBytes'])
})

test('what the account that signs gets of a pool, or pays of its own debt, costs nothing', async () => {
  for (const [declaration, args] of [
    ['withdraw(address asset, uint256 amount, address to)', [other, 9n, signWith]],
    ['repay(address asset, uint256 amount, uint256 interestRateMode, address onBehalfOf)', [other, 9n, 2n, signWith]],
  ] as const) {
    expect(warningsOf((await explainCall(encodedCall(declaration, args))).explanation)).toEqual(['toOwn'])
  }
  const revoked = await explainCall(encodedCall('revokeConfirmation(uint256 transactionId)', [7n]))
  expect(revoked.lines[0]).toBe(`Call “revokeConfirmation” of ${contract}`)
})

test('debts of several calls stand in the title with their sum', async () => {
  const borrow =
    'borrow(address asset, uint256 amount, uint256 interestRateMode, uint16 referralCode, address onBehalfOf)'
  const titleOf = async (...amounts: readonly bigint[]) => {
    const calls = amounts.map((amount) => encodedCall(borrow, [other, amount, 2n, 0, someone]))
    return (await explainCall(encodedCall('multicall(bytes[])', [calls]))).lines[0]
  }
  const owed = (amount: bigint) => `WARNING: ${someone} owes ${ofToken(amount, other)} from then on. Call `
  expect(await titleOf(...Array.from({ length: 10 }, () => 100n))).toContain(owed(1000n))
  expect(await titleOf(100n, 200n, 300n)).toContain(owed(600n))
})

test('what pays a debt with all tokens comes before an amount', async () => {
  const repay = 'repay(address asset, uint256 amount, uint256 interestRateMode, address onBehalfOf)'
  const calls = [
    [1n, contract],
    [maxUint256, someone],
  ].map(([amount, owing]) => encodedCall(repay, [other, amount, 2n, owing]))
  const { lines } = await explainCall(encodedCall('multicall(bytes[])', [calls]))
  expect(lines[0]).toContain(`WARNING: as much of the token ${other} as there is pay what ${someone} owes`)
})
