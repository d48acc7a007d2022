import { keccak256, stringToBytes } from 'viem'
import { expect, test } from 'vitest'
import { explaining, plain, valuesAt, warningsOf } from '../support/explanations.ts'
import { newAccount, startOrganization } from '../support/organization.ts'
import { membersOf } from '../support/signed_documents.ts'

const organization = await startOrganization()
const explain = explaining(organization)
const { addresses } = await organization.done('create_wallet', { walletName: 'Treasury', accounts: [newAccount()] })
const offerer = String(addresses[0])
const someone = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const nft = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const weth = '0x90F79bf6EB2c4f870365E785982E1f101E93b906'
const zeroAddress = `0x${'00'.repeat(20)}`
const zeros = `0x${'00'.repeat(32)}`

const item = 'uint8 itemType,address token,uint256 identifierOrCriteria,uint256 startAmount,uint256 endAmount'
const order =
  'address offerer,address zone,OfferItem[] offer,ConsiderationItem[] consideration,uint8 orderType,uint256 startTime,uint256 endTime,bytes32 zoneHash,uint256 salt,bytes32 conduitKey,uint256 counter'
const types = {
  OrderComponents: membersOf(order),
  OfferItem: membersOf(item),
  ConsiderationItem: membersOf(`${item},address recipient`),
}

const itemOf = (
  itemType: number,
  token: string,
  [identifierOrCriteria, startAmount, endAmount = startAmount]: number[],
) => ({
  ...{ itemType, token, identifierOrCriteria, startAmount, endAmount },
})
const ether = (amount: number, recipient: string) => ({ ...itemOf(0, zeroAddress, [0, amount]), recipient })

const messageOf = (offer: readonly object[], consideration: readonly object[]) => ({
  ...{ offerer, zone: zeroAddress, offer, consideration, orderType: 0, startTime: 0, endTime: 2_000_000_000 },
  ...{ zoneHash: zeros, salt: 1, conduitKey: zeros, counter: 0 },
})

const domainTypes = membersOf('string name,string version,uint256 chainId,address verifyingContract')
const domain = { name: 'Seaport', version: '1.6', chainId: 1, verifyingContract: weth }

function explainOrder(message: object, given: object = types, primaryType = 'OrderComponents') {
  return explain('sign_raw_payload', {
    ...{ signWith: offerer, encoding: 'PAYLOAD_ENCODING_EIP712', hashFunction: 'HASH_FUNCTION_NO_OP' },
    payload: JSON.stringify({ types: { EIP712Domain: domainTypes, ...given }, primaryType, domain, message }),
  })
}

const taken = 'WARNING: whoever has the signature may take what is offered. '

test('the type is that of Seaport: its hash stands in the contract', () => {
  const text = `OrderComponents(${order})ConsiderationItem(${item},address recipient)OfferItem(${item})`
  expect(keccak256(stringToBytes(text))).toBe('0xfa445660b7e21515a59617fcd68910b487aa5808b8abda3d78bc85df364b2c2f')
})

test('an order says what it offers, and what of its price the offerer gets', async () => {
  const offer = [itemOf(2, nft, [7, 1])]
  const { explanation, lines } = await explainOrder(messageOf(offer, [ether(5, offerer), ether(2, someone)]))
  expect(lines[0]).toBe(`${taken}Offer 1 of the token number 7 of ${nft} for 0.000000000000000005 ETH (5 wei)`)
  expect(warningsOf(explanation)).toEqual(['takenBySignature'])
  expect(valuesAt(explanation, 'typedData', 'asked').map(plain)).toEqual([[5n]])
})

test('an order that asks for nothing, or of whose price others get all, says that', async () => {
  const { lines } = await explainOrder(messageOf([itemOf(3, nft, [7, 20])], [ether(5, someone)]))
  expect(lines[0]).toBe(`${taken}Offer 20 of the token number 7 of ${nft} for none`)
})

test('of an amount that changes, the worse end for the offerer is shown', async () => {
  const asked = { ...itemOf(1, weth, [0, 900, 30]), recipient: offerer }
  const { lines } = await explainOrder(messageOf([itemOf(1, nft, [0, 4, 8])], [asked]))
  expect(lines[0]).toBe(
    `${taken}Offer 8 of the smallest unit of the token ${nft} for 30 of the smallest unit of the token ${weth}`,
  )
})

test('a bid for any token, and one for tokens that a hash names, are said to be that', async () => {
  const bid = (criteria: number) =>
    explainOrder(messageOf([itemOf(1, weth, [0, 9])], [{ ...itemOf(4, nft, [criteria, 1]), recipient: offerer }]))
  expect((await bid(0)).lines[0]).toContain(`for 1 of whichever tokens of ${nft}`)
  expect((await bid(5)).lines[0]).toContain(`for 1 of tokens of ${nft} that only a hash names`)
})

test('several things are counted in the title and listed below', async () => {
  const offer = [itemOf(2, nft, [7, 1]), itemOf(1, weth, [0, 9])]
  const { explanation, lines } = await explainOrder(messageOf(offer, [ether(5, offerer)]))
  expect(lines[0]).toBe(
    `${taken}Offer 1 of the token number 7 of ${nft} and 9 of the smallest unit of the token ${weth} for 0.000000000000000005 ETH (5 wei)`,
  )
  expect(valuesAt(explanation, 'typedData', 'offered')[0]).toMatchObject({ kind: 'list', items: [{}, {}] })
})

test('several orders in one request say what each offers, with its number', async () => {
  const payload = (count: number) =>
    JSON.stringify({
      types: { EIP712Domain: domainTypes, ...types },
      ...{ primaryType: 'OrderComponents', domain },
      message: messageOf([itemOf(1, nft, [0, count])], [ether(5, offerer)]),
    })
  const { lines } = await explain('sign_raw_payloads', {
    ...{ signWith: offerer, encoding: 'PAYLOAD_ENCODING_EIP712', hashFunction: 'HASH_FUNCTION_NO_OP' },
    payloads: [payload(1), payload(1), payload(9)],
  })
  expect(lines[0]).toBe(
    `WARNING: payload 3 of 3: whoever has the signature may take 9 of the smallest unit of the token ${nft} for 0.000000000000000005 ETH (5 wei), and 2 more. Sign 3 payloads`,
  )
})

test('of many orders under one signature each says what it offers, and another type with the same name is not known', async () => {
  const one = messageOf([itemOf(2, nft, [7, 1])], [ether(5, offerer)])
  const bulk = { ...types, BulkOrder: membersOf('OrderComponents[2] tree') }
  const gift = messageOf([itemOf(2, nft, [8, 1])], [])
  const { lines } = await explainOrder({ tree: [one, gift] }, bulk, 'BulkOrder')
  const may = 'warning: [whoever has the signature may take'
  expect(lines).toContain(`${may} 1 of the token number 7 of ${nft} for 0.000000000000000005 ETH (5 wei)]`)
  expect(lines).toContain(`${may} 1 of the token number 8 of ${nft} for none]`)
  expect(lines).toContain(`${may} what is offered]`)
  const other = { ...types, OrderComponents: [...types.OrderComponents, { name: 'note', type: 'string' }] }
  expect((await explainOrder({ ...one, note: '' }, other)).lines[0]).toBe(
    'WARNING: nobody but its contract says what this document does. Sign typed data “OrderComponents” “Seaport”',
  )
})

test('an order that an account wraps (ERC-7739) says what it offers, and for which account', async () => {
  const wrapper =
    'OrderComponents contents,string name,string version,uint256 chainId,address verifyingContract,bytes32 salt'
  const account = { name: 'Account', version: '1', chainId: 1, verifyingContract: someone, salt: zeros }
  const contents = { ...messageOf([itemOf(2, nft, [7, 1])], [ether(5, someone)]), offerer: someone }
  const { explanation, lines } = await explainOrder(
    { contents, ...account },
    { ...types, TypedDataSign: membersOf(wrapper) },
    'TypedDataSign',
  )
  expect(lines[0]).toBe(
    `${taken}Offer 1 of the token number 7 of ${nft} for 0.000000000000000005 ETH (5 wei) as the account ${someone}`,
  )
  expect(valuesAt(explanation, 'typedData', 'asked').map(plain)).toEqual([[5n]])
  expect(warningsOf(explanation)).toEqual(['takenBySignature'])
})

test('an order in any other document says what it offers too, and an empty place in a tree says nothing', async () => {
  const order = messageOf([itemOf(1, nft, [0, 9])], [ether(5, offerer)])
  const batch = { ...types, Batch: membersOf('string note,OrderComponents[] orders') }
  const { explanation, lines } = await explainOrder({ note: 'a', orders: [order] }, batch, 'Batch')
  expect(lines[0]).toBe(
    `WARNING: whoever has the signature may take 9 of the smallest unit of the token ${nft} for 0.000000000000000005 ETH (5 wei), and 2 more. Sign typed data “Batch” “Seaport”`,
  )
  expect(warningsOf(explanation)).toEqual(['offers', 'takenBySignature', 'unknownDocument'])
  const bulk = { ...types, BulkOrder: membersOf('OrderComponents[2] tree') }
  const tree = [order, messageOf([], [])]
  expect(warningsOf((await explainOrder({ tree }, bulk, 'BulkOrder')).explanation)).toEqual([
    'offers',
    'takenBySignature',
  ])
})
